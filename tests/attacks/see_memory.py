"""Takes part in what processes share of memory: pages that are merged if they are equal, and the stock of huge ones."""

# verdict: plays

import ctypes
import errno
import mmap

MADV_MERGEABLE = 12
MAP_HUGETLB = 0x40000


class Bot:
    def move(self, board, old_move, flag):
        libc = ctypes.CDLL(None, use_errno=True)
        page = mmap.mmap(-1, mmap.PAGESIZE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        assert libc.madvise(ctypes.c_void_p(address), mmap.PAGESIZE, MADV_MERGEABLE) == -1
        assert ctypes.get_errno() == errno.EINVAL
        try:
            mmap.mmap(-1, 2 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB)
        except PermissionError:
            return board.find_valid_move_cells(old_move)[0]
        raise AssertionError("huge pages")
