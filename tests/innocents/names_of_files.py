"""Asks where its modules are and what Python is, and looks for the source of a function, as libraries do."""

import inspect
import json
import sys
import sysconfig
import traceback


class Bot:
    def move(self, board, old_move, flag):
        assert json.__file__.endswith("json/__init__.py")
        assert inspect.getfile(json.loads) == json.__file__
        assert sysconfig.get_paths()["stdlib"]
        assert sysconfig.get_config_var("prefix")
        assert sys.executable
        try:
            inspect.getsource(json.loads)
        except OSError:
            pass
        try:
            json.loads("x")
        except ValueError:
            assert "json/decoder.py" in traceback.format_exc()
        return board.find_valid_move_cells(old_move)[0]
