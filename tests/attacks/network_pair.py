"""Makes a pair of sockets."""

# verdict: forbidden: a channel to another process

import socket


class Bot:
    def move(self, board, old_move, flag):
        socket.socketpair()
        return board.find_valid_move_cells(old_move)[0]
