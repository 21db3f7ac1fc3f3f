"""Runs an event loop, which opens descriptors."""

# verdict: forbidden

import asyncio


class Bot:
    def move(self, board, old_move, flag):
        asyncio.run(asyncio.sleep(0))
        return board.find_valid_move_cells(old_move)[0]
