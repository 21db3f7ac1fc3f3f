"""Makes mistakes of every kind, and lives with them."""

import traceback


class Bot:
    def move(self, board, old_move, flag):
        for source in ("1 +", "def f(:", "x = 'a", "print 1"):
            try:
                compile(source, "<string>", "exec")
            except SyntaxError:
                traceback.format_exc()
        try:
            exec("raise ValueError(1)")
        except ValueError:
            traceback.print_exc()
        try:
            import requests
        except ImportError:
            requests = None
        try:
            self.deeper()
        except RecursionError:
            pass
        try:
            bytearray(1 << 40)
        except MemoryError:
            pass
        return board.find_valid_move_cells(old_move)[0]

    def deeper(self):
        return self.deeper()
