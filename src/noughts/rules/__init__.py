"""The rules of every game, as data that one compiled kernel reads. Names are loaded at their first use.

spec        the record of facts and its validation
geometry    coordinates of cells and blocks; helpers that build lines
variants    the built-in games
reference   the rules in plain Python, to read, and for bots in the sandbox
position    positions set up by hand
symmetry    permutations of cells, boards and marks that preserve the rules
calls       compiled functions, loaded at their first call
view        a position in readable form, for drawing
kernels     the rules, compiled: the only code that decides what is legal and who won
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.rules.geometry import Place as Place
    from noughts.rules.geometry import columns as columns
    from noughts.rules.geometry import coordinates as coordinates
    from noughts.rules.geometry import diagonals as diagonals
    from noughts.rules.geometry import diamonds as diamonds
    from noughts.rules.geometry import index_of as index_of
    from noughts.rules.geometry import k_in_a_row as k_in_a_row
    from noughts.rules.geometry import place_of as place_of
    from noughts.rules.geometry import rows as rows
    from noughts.rules.geometry import weights as weights
    from noughts.rules.position import EMPTY as EMPTY
    from noughts.rules.position import PositionError as PositionError
    from noughts.rules.spec import Line as Line
    from noughts.rules.spec import Rules as Rules
    from noughts.rules.spec import RulesError as RulesError
    from noughts.rules.spec import rules_from as rules_from
    from noughts.rules.symmetry import Symmetry as Symmetry
    from noughts.rules.variants import CLASSIC as CLASSIC
    from noughts.rules.variants import EXTREME as EXTREME
    from noughts.rules.variants import MISERE as MISERE
    from noughts.rules.variants import NUMERICAL as NUMERICAL
    from noughts.rules.variants import ULTIMATE as ULTIMATE
    from noughts.rules.variants import VARIANTS as VARIANTS
    from noughts.rules.variants import WILD as WILD
    from noughts.rules.variants import WILD_MISERE as WILD_MISERE
    from noughts.rules.variants import XTREME as XTREME
    from noughts.rules.view import DRAWN as DRAWN
    from noughts.rules.view import FIRST as FIRST
    from noughts.rules.view import OPEN as OPEN
    from noughts.rules.view import SECOND as SECOND
    from noughts.rules.view import View as View

lazy_names(
    __name__,
    {
        "geometry": "Place columns coordinates diagonals diamonds index_of k_in_a_row place_of rows weights",
        "position": "EMPTY PositionError",
        "spec": "Line Rules RulesError rules_from",
        "symmetry": "Symmetry",
        "variants": "CLASSIC EXTREME MISERE NUMERICAL ULTIMATE VARIANTS WILD WILD_MISERE XTREME",
        "view": "DRAWN FIRST OPEN SECOND View",
    },
)
