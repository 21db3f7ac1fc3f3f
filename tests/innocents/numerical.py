"""Uses much of numpy."""

import numpy


class Bot:
    def move(self, board, old_move, flag):
        cells = numpy.array(board.board_status)
        marks = (cells == flag).astype(int)
        numpy.unique(cells, return_counts=True)
        numpy.linalg.eigvals(marks @ marks.T)
        numpy.fft.fft2(marks)
        numpy.random.default_rng(1).normal(size=10)
        numpy.random.rand(3)
        numpy.polynomial.Polynomial([1, 2]).roots()
        numpy.ma.masked_equal(marks, 0).sum()
        numpy.dot(numpy.ones((64, 64)), numpy.ones((64, 64)))
        numpy.einsum("ij,ij->i", marks, marks)
        str(cells), repr(marks)
        moves = numpy.array(board.find_valid_move_cells(old_move))
        return tuple(moves[numpy.random.randint(len(moves))])
