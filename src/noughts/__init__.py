"""noughts: the tic-tac-toe family, with fast rules for people, learners, language models and bots.

>>> import noughts
>>> state = noughts.load_game("wild").new_initial_state()
>>> state.apply_action(state.string_to_action("[X 4]"))
>>> state.to_string()
'.../.X./... p1'

Every name is loaded at its first use: importing noughts itself costs next to nothing.
"""

from noughts._lazy import lazy_names

__version__ = "0.1.0"

lazy_names(__name__)
