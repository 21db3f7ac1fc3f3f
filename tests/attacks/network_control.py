"""Sends descriptors over the channel of the referee."""

# verdict: forbidden: network

import socket


class Bot:
    def move(self, board, old_move, flag):
        socket.socket(fileno=3).sendmsg([b"x"])
        return board.find_valid_move_cells(old_move)[0]
