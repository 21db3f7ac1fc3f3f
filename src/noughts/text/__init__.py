"""The games by text: prompts, boards, and the moves in replies. Names are loaded at their first use.

env         one game by text, between two players who read and write
texts       all texts of a game; prompts (the rules), boards, words
rulebooks   the rules for people, in the words of the prompts
replies     finds the move in a reply, explains refusals, makes replies harmless for others
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.text.boards import board_text as board_text
    from noughts.text.env import Info as Info
    from noughts.text.env import TextEnv as TextEnv
    from noughts.text.prompts import prompt as prompt
    from noughts.text.replies import REASONS as REASONS
    from noughts.text.replies import MoveReader as MoveReader
    from noughts.text.replies import Refusal as Refusal
    from noughts.text.replies import bracketed as bracketed
    from noughts.text.replies import harmless as harmless
    from noughts.text.replies import reader_of as reader_of
    from noughts.text.rulebooks import rulebook as rulebook
    from noughts.text.texts import GameTexts as GameTexts
    from noughts.text.texts import texts_of as texts_of

lazy_names(
    __name__,
    {
        "boards": "board_text",
        "env": "Info TextEnv",
        "prompts": "prompt",
        "replies": "REASONS MoveReader Refusal bracketed harmless reader_of",
        "rulebooks": "rulebook",
        "texts": "GameTexts texts_of",
    },
)
