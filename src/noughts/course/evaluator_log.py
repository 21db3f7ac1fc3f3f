"""Reads logs of the course's evaluators: recovers the moves of a game from its boards.

The logs contain no moves, only the board after each move, mixed with the bots' own output. A board counts if the rules
can reach it from the previous one. Since bots may print boards too, all possible paths are followed, and the one with
most of the evaluator's boards is taken. Missing moves are recovered if possible, and mismatches are reported.

    Team11 (P1,x) is going first        ('CONTINUE', '-')                       Winner: P1
    Team42 (P2,0) is going second       ====...BigBoard State====...            Message WON
                                        rows of cells                           x: 6  o: 2  d: 0
                                        ====...SmallBoards States====...        Player1 (Team11) points: 86
                                        rows of blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

from noughts.game import Game, State
from noughts.library import load_game
from noughts.matches.log import FLAGS
from noughts.matches.record import UNFINISHED, GameRecord
from noughts.printable import printable
from noughts.sandbox.faults import CRASH, INVALID, TIME, Fault

MESSAGES = {
    "TIME OUT": Fault(TIME, "out of time, as the log says"),
    "INVALID MOVE": Fault(INVALID, "invalid move, as the log says"),
    "THREW AN EXCEPTION": Fault(CRASH, "crashed, as the log says"),
}
MOST_LOST = 3
"""Maximum consecutive boards that may be missing or garbled; the rules determine the moves between them."""
PATHS = 40
"""Maximum paths through the boards that are followed at a time."""
STRICT, LOOSE, LOST, ODD_END = 2.0, -0.01, 1.5, 1000.0
"""Score of a board printed by the evaluator, and of one perhaps printed by a bot; cost of a missing board, and of an
end that differs from the log's."""
PRINTS_KEPT = 4000
LINE_READ = 1000
"""Maximum characters of a line that are read; rows of boards are shorter."""
MOST_LINES = 1 << 19
MOST_TRIES = 200_000
"""Maximum orders of missing moves that are tried per file: a few seconds. A gap of three boards takes up to a few
hundred.
"""

_STATUS = re.compile(r"\('(?:CONTINUE|x|o|NONE)', '(?:-|WON|DRAW)'\)\s*$")
_PLAYER = re.compile(r"(\S{1,100}) \(P([12]), ?[xo0]\) is going (?:first|second)")
_START = re.compile(r"##### START OF (\S{1,100}) VS\.? (\S{1,100}) #####")
_WINNER = re.compile(r"^Winner: ?(P1|P2|NONE)\b")
_MESSAGE = re.compile(r"^Message:? ?(WON|DRAW|TIME OUT|INVALID MOVE|THREW AN EXCEPTION)\b")
_COUNTS = re.compile(r"^x: ?(\d{1,3})\s+o: ?(\d{1,3})\s+d: ?(\d{1,3})")
_POINTS = re.compile(r"^Player([12]) \((\S{1,100})\) points: ?(\d{1,4})\b")
_FIRST_LETTERS = ("W", "M", "x", "P")
"""The first letters of the four patterns that begin a line."""

Masks = tuple[int, int]
"""The cells of x and those of o, as bits."""


@dataclass
class LoggedGame:
    """A game from a file. notes: on a log, mismatches with the rules and recovered moves, in sentences."""

    record: GameRecord
    notes: list[str] = field(default_factory=list)


def read_evaluator_logs(text: str) -> list[LoggedGame]:
    """Returns all games of a log; empty if the text is not a log. Raises ValueError if reading would take too long."""
    if text.count("\n") > MOST_LINES:
        raise ValueError(f"it has too many lines; a log must have at most {MOST_LINES:,}")
    lines = [line[:LINE_READ] for line in text.replace("\r\n", "\n").split("\n")]
    parts = [_Part.parse(block) for block in _games(lines)]
    tries = _Tries()
    return [_recovered(part, tries) for part in parts if part.boards]


def _games(lines: list[str]) -> list[list[str]]:
    """Returns the lines of each game: a game begins where a player goes first, or with a line that says START."""
    starts = [i for i, line in enumerate(lines) if "START OF" in line and _START.search(line)]
    if not starts:
        goers = ((i, _PLAYER.search(line)) for i, line in enumerate(lines) if "is going" in line)
        starts = [i for i, found in goers if found and found[2] == "1"]
    starts = starts or [0]
    return [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


# Contents of the lines


@dataclass
class _Board:
    """A board in the log. masks: the cells. blocks: the rows of blocks in one text, "" if not found. strict: whether a
    status line directly precedes it. before: the lines since the last board, which bots printed."""

    masks: Masks
    blocks: str
    strict: bool
    before: list[str]


@dataclass
class _Part:
    game: Game
    players: list[str]
    boards: list[_Board]
    winner: str = ""
    message: str = ""
    counts: tuple[int, ...] = ()
    points: dict[int, int] = field(default_factory=dict)
    tail: list[str] = field(default_factory=list)

    @staticmethod
    def parse(lines: list[str]) -> _Part:
        nested = "xtreme" if any("BigBoard State" in line for line in lines) else "extreme"
        part = _Part(load_game(nested), ["P1", "P2"], [])
        at, printed = 0, list[str]()
        while at < len(lines):
            line = lines[at]
            if "Board State=" in line and "Boards State" not in line:
                board, at = _read_board(part.game, lines, at + 1)
                if board is not None:
                    board.strict = bool(_STATUS.search(next((text for text in reversed(printed) if text.strip()), "")))
                    board.before = printed
                    part.boards.append(board)
                printed = []
                continue
            part._take(line)
            printed.append(line)
            at += 1
        part.tail = printed
        return part

    def _take(self, line: str) -> None:
        """Reads a line. Most are irrelevant and cost only a search for a few words."""
        if "START OF" in line and (found := _START.search(line)):
            self.players = [found[1], found[2]]
        elif "is going" in line and (found := _PLAYER.search(line)):
            self.players[int(found[2]) - 1] = found[1]
        elif line[:1] not in _FIRST_LETTERS:
            return
        elif found := _WINNER.search(line):
            self.winner = found[1]
        elif found := _MESSAGE.search(line):
            self.message = found[1]
        elif found := _COUNTS.search(line):
            self.counts = tuple(map(int, found.groups()))
        elif found := _POINTS.search(line):
            self.points[int(found[1]) - 1] = int(found[3])


def _read_board(game: Game, lines: list[str], at: int) -> tuple[_Board | None, int]:
    """Returns the board whose title is before line `at`, None if it is incomplete; and the line after it."""
    rules = game.rules
    rows, at = _read_rows(lines, at, rules.width, rules.width * rules.boards, "-xo")
    if len(rows) < rules.width:
        return None, at
    cells = "".join(row[b * rules.width : (b + 1) * rules.width] for b in range(rules.boards) for row in rows)
    blocks = ""
    if at < len(lines) and ("Boards State" in lines[at] or "Block State" in lines[at]):
        owners, at = _read_rows(lines, at + 1, rules.side, rules.side * rules.boards, "-xod")
        if len(owners) == rules.side:
            blocks = "".join(row[b * rules.side : (b + 1) * rules.side] for b in range(rules.boards) for row in owners)
            at += at < len(lines) and set(lines[at].strip()) == {"="}
    masks = [sum(1 << i for i, mark in enumerate(cells) if mark == flag) for flag in FLAGS]
    return _Board((masks[0], masks[1]), blocks, False, []), at


def _read_rows(lines: list[str], at: int, count: int, size: int, marks: str) -> tuple[list[str], int]:
    """Returns up to `count` rows of `size` marks, with other lines between; ends at the next title."""
    row = re.compile(rf"(?:^|\s)([{marks}](?:\s+[{marks}]){{{size - 1}}})(?=\s|$)")
    rows: list[str] = []
    while at < len(lines) and len(rows) < count and "State" not in lines[at]:
        if found := row.search(lines[at]):
            rows.append("".join(found[1].split()))
        at += 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    return rows, at


# Paths through the boards


@dataclass
class _Path:
    """A possible game. turn, last: the player to move, and the last move. seen: for each move, the number of the board
    that shows it. score: how well it fits. lost: moves that no board shows.
    """

    state: State
    masks: Masks
    turn: int = 0
    last: int = -1
    score: float = 0.0
    seen: list[int] = field(default_factory=list)
    lost: int = 0

    def passing(self, board: _Board, gain: float) -> _Path:
        """Returns the path after skipping a board. Skipping a different board has a cost."""
        cost = 1.0 if gain > 0 and board.masks != self.masks else 0.0
        return replace(self, score=self.score - cost)


@dataclass
class _Tries:
    """Counts the orders of missing moves that may still be tried in a file."""

    left: int = MOST_TRIES


def _recovered(part: _Part, tries: _Tries) -> LoggedGame:
    faulty = _faulty(part)
    paths = [_Path(part.game.new_initial_state(), (0, 0))]
    quiet = not any(board.strict for board in part.boards)
    for number, board in enumerate(part.boards):
        gain = STRICT if board.strict or quiet else LOOSE
        passed = [path.passing(board, gain) for path in paths]
        moved = [after for path in paths for after in _next(path, board, number, gain, 1, tries)]
        # marks that a bot leaves when its time is up can look like moves
        if gain > 0 and not moved and (faulty is None or number < len(part.boards) - 1):
            for marks in range(2, MOST_LOST + 2):
                moved += [after for path in paths for after in _next(path, board, number, gain, marks, tries)]
        found: dict[tuple[int, ...], _Path] = {}
        for path in sorted([*passed, *moved], key=lambda path: -path.score):
            found.setdefault((*path.masks, path.turn, path.last), path)
        paths = list(found.values())[:PATHS]
    best = max(paths, key=lambda path: path.score + _fits_end(path.state, part, faulty))
    return _as_record(part, best, faulty)


def _next(path: _Path, board: _Board, number: int, gain: float, marks: int, tries: _Tries) -> Iterator[_Path]:
    """Yields the continuations to a board with `marks` more marks, by legal moves."""
    new = tuple(there & ~here for here, there in zip(path.masks, board.masks, strict=True))
    gone = any(here & ~there for here, there in zip(path.masks, board.masks, strict=True))
    if gone or sum(mask.bit_count() for mask in new) != marks:
        return
    cells = [(flag, cell) for flag in (0, 1) for cell in _bits(new[flag])]
    for order in permutations(cells):
        tries.left -= marks > 1
        if tries.left < 0:
            raise ValueError("too many of its boards are out of sequence; keep only the game that you want")
        state = _after_marks(path.state, order)
        if state is not None:
            seen = [*path.seen, *[number] * marks]
            score, lost = path.score + gain - LOST * (marks - 1), path.lost + marks - 1
            yield _Path(state, board.masks, state.current_player(), order[-1][1], score, seen, lost)


def _after_marks(state: State, order: Sequence[tuple[int, int]]) -> State | None:
    """Returns the state after these marks; None if they are not legal."""
    after = state.clone()
    for player, cell in order:
        if after.is_terminal() or after.current_player() != player or cell not in after.legal_actions():
            return None
        after.apply_action(cell)
    return after


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _faulty(part: _Part) -> int | None:
    """Returns the seat that lost by a fault according to the log; None if none did."""
    if part.message not in MESSAGES or part.winner not in ("P1", "P2"):
        return None
    return 1 if part.winner == "P1" else 0


def _fits_end(state: State, part: _Part, faulty: int | None) -> float:
    """Returns how well the end of a path fits the log: the player at fault was to move."""
    if faulty is not None:
        return 0.0 if not state.is_terminal() and state.current_player() == faulty else -ODD_END
    return 0.0 if state.is_terminal() or not part.message else -ODD_END


def _as_record(part: _Part, path: _Path, faulty: int | None) -> LoggedGame:
    state = path.state
    record = GameRecord(part.game, (part.players[0], part.players[1]))
    record.moves = state.history()
    record.seconds = [0.0] * len(record.moves)
    record.prints = _prints(part, path)
    notes = []
    if path.lost:
        notes.append(f"cannot read {path.lost} of the boards; their moves were recovered by the rules")
    if state.is_terminal():
        record.end_by_rules(state)
    elif faulty is not None and state.current_player() == faulty:
        record.end_by_fault(faulty, MESSAGES[part.message])
        left = sum(a.bit_count() for a in part.boards[-1].masks) - len(record.moves)
        if left > 0:
            notes.append(
                f"the last board has {left} marks that are not moves: {record.players[faulty]} left them there"
            )
    else:
        record.reason = UNFINISHED
        record.winner = {"P1": 0, "P2": 1}.get(part.winner)
        record.points = (part.points.get(0, 0), part.points.get(1, 0))
        notes.append(_stopped(part, path))
    return LoggedGame(record, [*notes, *_differences(part, path, record)])


def _stopped(part: _Part, path: _Path) -> str:
    """Describes where the moves end although the game did not."""
    moves = len(path.state.history())
    last = path.seen[-1] if path.seen else -1
    if last + 1 < len(part.boards):
        left = len(part.boards) - last - 1
        return f"after move {moves} no board is reachable by one legal move; the {left} boards after it are left out"
    return f"the log ends after move {moves}, but the game is not over"


def _differences(part: _Part, path: _Path, record: GameRecord) -> list[str]:
    """Returns the differences between the log and the rules: blocks, the winner, points."""
    notes = []
    state = record.game.new_initial_state()
    for number, (action, seen) in enumerate(zip(record.moves, path.seen, strict=True), 1):
        state.apply_action(action)
        logged = part.boards[seen].blocks
        last_of_board = number == len(path.seen) or path.seen[number] != seen
        if logged and last_of_board and logged != _owners(state):
            notes.append(
                f"after move {number} the log shows the blocks {logged}, but by the rules they are {_owners(state)}"
            )
            break
    winner = {0: "P1", 1: "P2", None: "NONE"}[record.winner]
    if record.reason != UNFINISHED and part.winner and part.winner != winner:
        notes.append(f"the log says that the winner is {part.winner}, but by the rules it is {winner}")
    if record.reason != UNFINISHED and len(part.points) == 2:
        logged_points = (part.points[0], part.points[1])
        if logged_points != record.points:
            notes.append(f"the log gives the points {logged_points}, but by the rules they are {record.points}")
    counts = tuple(_owners(state).count(mark) for mark in "xod")
    if record.reason != UNFINISHED and record.fault is None and part.counts and part.counts != counts:
        notes.append(f"the log counts blocks as x, o, d = {part.counts}, but by the rules they are {counts}")
    return notes


def _owners(state: State) -> str:
    return "".join("xod-"[owner] for owner in state.view().owners)


def _prints(part: _Part, path: _Path) -> dict[int, str]:
    """Returns the output of each move's bot before the move."""
    prints = {}
    starts = [0, *(seen + 1 for seen in path.seen)]
    for number, end in enumerate([*path.seen, len(part.boards) - 1]):
        lines = [line for board in part.boards[starts[number] : end + 1] for line in board.before if not _is_ours(line)]
        if text := "\n".join(lines).strip():
            prints[number] = printable(text, PRINTS_KEPT)
    return prints


def _is_ours(line: str) -> bool:
    """Returns whether the evaluator printed a line."""
    patterns = (_STATUS, _PLAYER, _START, _WINNER, _MESSAGE, _COUNTS, _POINTS)
    return any(pattern.search(line) for pattern in patterns) or set(line.strip()) == {"="}
