"""Players by name: ``random``, ``llm:MODEL``; options come after a question mark, ``random?seed=7``."""

from __future__ import annotations

from collections.abc import Callable

from noughts.players.greedy import GreedyPlayer
from noughts.players.llm.settings import OPTIONS as LLM_OPTIONS
from noughts.players.llm.settings import settings_of
from noughts.players.perfect import PerfectPlayer
from noughts.players.protocol import Player
from noughts.players.uniform import RandomPlayer

Options = dict[str, str]

PLAYER_FORMS = {
    "random": "any legal move, each as likely; seed=N",
    "greedy": "looks one move and one reply ahead; seed=N",
    "q:RUN": "greedy by what `noughts train` learnt, a run folder or its model file",
    "perfect": "never gives away value, in games small enough to solve; seed=N",
    "llm:MODEL": f"a language model; {LLM_OPTIONS}",
}
"""What can be named, with its options, for help texts."""


def make_player(text: str, *, seed: int | None = None) -> Player:
    """The player that a name stands for; ValueError if it stands for none. `seed` holds unless the options give one."""
    name, _, rest = text.partition("?")
    options = _options(text, rest)
    if name.startswith("llm:"):
        return _llm(name.removeprefix("llm:"), options)
    if name.startswith("q:"):
        _refuse_rest("q:RUN", options)
        return _learnt(name.removeprefix("q:"))
    if name not in _MAKERS:
        forms = "; ".join(f"{form} ({what})" for form, what in PLAYER_FORMS.items())
        raise ValueError(f"there is no player {text!r}; players are {forms}")
    if seed is not None:
        options.setdefault("seed", str(seed))
    return _MAKERS[name](options)


def _options(text: str, rest: str) -> Options:
    options: Options = {}
    for part in filter(None, rest.split("&")):
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise ValueError(f"the options of {text!r} should look like name?option=value&option=value")
        options[key] = value
    return options


def _random(options: Options) -> Player:
    seed = _seed(options)
    _refuse_rest("random", options)
    return RandomPlayer(seed)


def _greedy(options: Options) -> Player:
    seed = _seed(options)
    _refuse_rest("greedy", options)
    return GreedyPlayer(seed)


def _perfect(options: Options) -> Player:
    seed = _seed(options)
    _refuse_rest("perfect", options)
    return PerfectPlayer(seed)


def _llm(model: str, options: Options) -> Player:
    from noughts.players.llm import LlmPlayer

    return LlmPlayer(settings_of(model, options))


def _learnt(path: str) -> Player:
    from noughts.players.learnt import LearntPlayer

    return LearntPlayer(path)


def _seed(options: Options) -> int | None:
    seed = options.pop("seed", None)
    return None if seed is None else _whole(seed, "seed")


def _whole(text: str, option: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{option} must be a whole number, not {text!r}") from None


def _refuse_rest(name: str, options: Options) -> None:
    if options:
        raise ValueError(f"{name} has no option {next(iter(options))!r}; it has {PLAYER_FORMS[name]}")


_MAKERS: dict[str, Callable[[Options], Player]] = {"random": _random, "greedy": _greedy, "perfect": _perfect}
