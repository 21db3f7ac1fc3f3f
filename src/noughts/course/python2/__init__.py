"""Converts old bots from Python 2 to Python 3, without changing how they play.

evidence    decides which Python a source is written in
syntax      turns grammar that Python 3 cannot read into grammar that it can, by fissix
program     the syntax tree and the meaning of its names; `kinds`: the possible types of its values
operators, calls, scopes    restore the old meaning of constructs, as `edits` of the text
prelude     the functions of `runtime` that the new text calls, put before it
bounded     runs all of that in a process with limits, for untrusted text
"""

from noughts.course.python2.bounded import convert, python2_hint
from noughts.course.python2.prelude import prelude_lines
from noughts.course.python2.translate import Translation

__all__ = ["Translation", "convert", "prelude_lines", "python2_hint"]
