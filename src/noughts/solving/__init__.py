"""Solves the small games exactly: values of all positions, values against a random opponent, values of policies.

The package is not called `solve` because its main function is: `noughts.solve(game)`. Names are loaded at their first
use, so that rewards do not compile the solver.
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
