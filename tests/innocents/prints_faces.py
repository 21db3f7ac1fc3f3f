"""Prints what takes many bytes, and half a character."""


class Bot:
    def move(self, board, old_move, flag):
        print("\N{PILE OF POO}" * 10_000)
        print("\0\x1b\udc80" * 10_000)
        return board.find_valid_move_cells(old_move)[0]
