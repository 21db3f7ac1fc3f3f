"""Returns numbers that claim to be numpy's."""

# verdict: plays|crash|invalid


class Bot:
    def move(self, board, old_move, flag):
        Evil = type("int64", (), {"__module__": "numpy", "__index__": lambda self: 10**9})
        return (Evil(), Evil())
