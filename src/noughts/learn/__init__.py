"""Tabular Q-learning of the small games, measured against their exact solutions.

Names are loaded at their first use: the decision process compiles no learner, and only the plots need matplotlib.
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
