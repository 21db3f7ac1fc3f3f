"""Converts game-playing programs from Python 2 to Python 3, without changing how they play.

`translate` converts a source, `which_python` decides which Python it is written in, `prelude_lines` finds the functions
that a conversion put before it. None of them runs the source. They parse it, so pass text from strangers only in a
process whose time and memory are limited.

reading     tokens of old and broken files, in linear time
evidence    decides which Python a source is written in
syntax      turns grammar that Python 3 cannot read into grammar that it can, by fissix
program     the syntax tree and the meaning of its names; `kinds`: the possible types of its values
operators, calls, scopes    restore the old meaning of constructs, as `edits` of the text
prelude     the functions of `runtime` that the new text calls, put before it
"""

from py2bots._evidence import Verdict, which_python
from py2bots._syntax import NotPython2
from py2bots.prelude import prelude_lines
from py2bots.translate import Translation, translate

__all__ = ["NotPython2", "Translation", "Verdict", "prelude_lines", "translate", "which_python"]
