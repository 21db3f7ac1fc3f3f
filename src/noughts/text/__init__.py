"""The games by text: prompts, boards, and the moves in replies. Names are loaded at their first use.

env         one game by text, between two players who read and write
texts       all texts of a game; prompts (the rules), boards, words
rulebooks   the rules for people, in the words of the prompts
replies     finds the move in a reply, explains refusals, makes replies harmless for others
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
