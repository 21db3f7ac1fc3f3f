"""A UGI engine for classic Tic-Tac-Toe, which plays the first free cell; its first argument says how it misbehaves."""

import os
import subprocess
import sys
import time

how = sys.argv[1] if len(sys.argv) > 1 else "good"
moves, asked = [], 0


def say(line):
    print(line, flush=True)


if how == "silent":
    time.sleep(1000)
for line in sys.stdin:
    words = line.split()
    if words == ["ugi"]:
        say("id name first free cell")
        say("option name Move Overhead type spin default 10 min 0 max 100")
        say("ugiok")
    elif words == ["isready"]:
        say("readyok")
    elif words[0] == "setoption":
        print(f"received {line.strip()}", file=sys.stderr, flush=True)
    elif words[0] == "position":
        moves = words[3:]
    elif words[0] == "go":
        asked += 1
        if how == "hang":
            # A child that it leaves behind.
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", __file__])
            time.sleep(1000)
        if how == "crash" and asked == 2:
            print("something broke", file=sys.stderr, flush=True)
            os._exit(3)
        if how == "segfault":
            os.kill(os.getpid(), 11)
        if how == "flood":
            while True:
                print("info string " + "x" * 1000)
        if how == "endless line":
            while True:
                sys.stdout.write("x" * 1000)
        if how == "noisy":
            print("thinking about it\x1b[2J" + "!" * 100_000, file=sys.stderr, flush=True)
        say("info depth 1 score cp 0")
        free = next(str(cell) for cell in range(9) if str(cell) not in moves)
        say({"lie": f"bestmove {moves[0] if moves else 9}", "mute": "bestmove"}.get(how, f"bestmove {free}"))
        if how == "twice":
            say("bestmove 0")
    elif words == ["quit"]:
        if how == "stays":
            time.sleep(1000)
        break
