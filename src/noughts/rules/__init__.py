"""The rules of a game, as data that one compiled kernel reads. Names are loaded at their first use.

spec        the record of facts and its validation
geometry    coordinates of cells and blocks; helpers that build lines
reference   the rules in plain Python, to read, and for bots in the sandbox
position    positions set up by hand
symmetry    permutations of cells, boards and marks that preserve the rules
calls       compiled functions, loaded at their first call
view        a position in readable form, for drawing
kernels     the rules, compiled: the only code that decides what is legal and who won
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
