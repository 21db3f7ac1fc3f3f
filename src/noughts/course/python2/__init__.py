"""Old bots: from Python 2 to Python 3, so that they play as they did. `convert` does it.

evidence    which Python a source is written in
syntax      what Python 3 cannot read becomes what it can, by fissix
program     the tree of that, and what its names mean; `kinds`: which types its values can have
operators, calls, scopes    what means something else now becomes what it meant, as `edits` of the text
prelude     the functions of `runtime` that the text calls now are put before it
bounded     all of that in a process with limits, for text that others wrote
"""

from noughts.course.python2.bounded import convert, python2_hint
from noughts.course.python2.prelude import prelude_lines
from noughts.course.python2.translate import Translation

__all__ = ["Translation", "convert", "prelude_lines", "python2_hint"]
