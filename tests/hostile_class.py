"""A tournament whose names, prints and tracebacks try to get into a page as markup, played once for several tests."""

from tournament_play import tournament_in

from noughts.course.rules import gate_of
from noughts.sandbox.source import BotSource
from noughts.tournaments.organiser import run_of

HOSTILE = "</script><script>window.hacked=1</script>"
IMAGE = "<img src=x onerror=window.hacked=2>"
SECRET = "the secret of the rivals"
NAME = f"{IMAGE}<b>\u202ebold"
LONG = "The Department of Unreasonably Long Team Names, " + "and more " * 3
FOREIGN = "فريق الأمل 日本"

PRINTS = """
def choose(state, clock):
    print({text!r})
    return state.legal_actions()[{pick}]
"""
CRASHES = """
def choose(state, clock):
    print({text!r})
    if len(state.history()) > 3:
        raise KeyError({text!r})
    return state.legal_actions()[0]
"""


def bots():
    """Name -> source. The first prints markup, the second crashes with it, the third has a secret."""
    return {
        NAME: PRINTS.format(text=HOSTILE + IMAGE, pick=0),
        LONG: CRASHES.format(text=IMAGE + HOSTILE),
        FOREIGN: PRINTS.format(text=SECRET, pick=-1),
    }


def played(path, game="classic"):
    """The open file, with all games played."""
    tournament = tournament_in(path, game=game, players=("greedy",), admit="all", name="<i>spring</i> & co")
    for name, text in bots().items():
        tournament.entries.enter(name, BotSource("bot.py", None, text))
    for _ in run_of(tournament, gate_of(tournament)).play():
        pass
    return tournament
