"""Prints and raises what takes many bytes, so that the reply to the referee is long."""

# verdict: crash: ValueError


class Bot:
    def move(self, board, old_move, flag):
        print("\N{PILE OF POO}" * 10_000, "\0" * 10_000)
        raise ValueError("\N{PILE OF POO}" * 10_000)
