"""Uses much of the standard library."""

import array
import ast
import base64
import bisect
import cmath
import collections
import contextlib
import copy
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import gc
import hashlib
import heapq
import inspect
import itertools
import json
import locale
import logging
import math
import operator
import os
import pickle
import platform
import pprint
import queue
import random
import re
import secrets
import statistics
import string
import struct
import sys
import textwrap
import threading
import time
import types
import uuid
import warnings
import weakref
import zlib


class Bot:
    def move(self, board, old_move, flag):
        pickle.loads(pickle.dumps(board.board_status))
        json.loads(json.dumps(board.board_status))
        hashlib.sha256(repr(board.board_status).encode()).hexdigest()
        datetime.datetime.now().strftime("%c %A %B")
        datetime.datetime.strptime("2020-01-02", "%Y-%m-%d")
        time.strftime("%c", time.localtime())
        decimal.Decimal(1) / 3, fractions.Fraction(1, 3), statistics.mean([1, 2, 3])
        re.sub(r"\\d+", "x", "a1b22")
        collections.Counter("abracadabra").most_common(2)
        list(itertools.permutations(range(4)))
        heapq.nsmallest(3, range(10)), bisect.bisect([1, 2, 3], 2)
        functools.reduce(int.__add__, range(10))
        uuid.uuid4(), secrets.token_hex(8), os.urandom(8)
        random.SystemRandom().random(), random.Random("a text").random()
        ast.unparse(ast.parse("a = [1]"))
        string.Template("$x").substitute(x=1)
        textwrap.fill("words " * 30), pprint.pformat(vars(board))
        zlib.decompress(zlib.compress(b"x" * 100)), base64.b64encode(b"x")
        struct.pack(">I", 7), array.array("i", [1, 2])
        threading.Lock(), threading.local(), threading.current_thread().name
        queue.PriorityQueue().put(1)
        enum.Enum("E", "A B"), dataclasses.make_dataclass("D", ["a"])(1)
        copy.deepcopy(self), weakref.ref(self), types.SimpleNamespace(a=1)
        contextlib.suppress(ValueError), operator.itemgetter(1), math.comb(9, 3), cmath.sqrt(-1)
        logging.getLogger("bot").warning("a warning of the bot")
        warnings.warn("an odd position", stacklevel=1)
        platform.python_version(), sys.version, sys.getsizeof(board), locale.getlocale()
        inspect.signature(self.move), inspect.getsource(Bot)
        os.path.join("a", "b"), os.getpid(), os.cpu_count(), os.environ.get("HOME"), os.path.exists("/etc")
        time.sleep(0), time.perf_counter(), time.process_time(), time.thread_time()
        gc.collect()
        return board.find_valid_move_cells(old_move)[0]
