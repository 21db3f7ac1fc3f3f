"""Finds players by name: built-in and registered ones, files, models and programs.

`make_player` is for text typed on this machine or written in a program. It accepts everything: files (``team7.py``,
``q:RUN``, ``alphabeta?network=FILE``), web addresses and names of environment variables
(``llm:MODEL?base_url=URL&key_env=NAME``), and programs (``ugi:PROGRAM ARGS``, ``cg:PROGRAM ARGS``). `listed_player` is
for text from elsewhere: a page, an adapter, a model, a file. It chooses from a list, so no text becomes a path, an
address, a variable's name or a program.

Options come after a colon, with commas between them: ``random:seed=7``, ``alphabeta:depth=6,memory=256``. As in a web
address, ``random?seed=7`` and ``alphabeta?depth=6&memory=256`` mean the same; models, whose names may contain colons,
accept only that form. (In a shell, ``?`` and ``&`` need quotes.)
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from noughts import search
from noughts.notation import quoted
from noughts.players import llm
from noughts.players.alphabeta import NO_NETWORK, AlphaBetaPlayer, LevelPlayer
from noughts.players.bot import BotPlayer
from noughts.players.engines import CodinGamePlayer, UgiPlayer
from noughts.players.llm.settings import OPTIONS as LLM_OPTIONS
from noughts.players.llm.settings import settings_of, variables_of
from noughts.players.mcts import MonteCarloPlayer
from noughts.players.options import LARGEST_NUMBER, Options
from noughts.players.own import OwnPlayer, SameObject
from noughts.players.protocol import BasePlayer, as_player, player_name
from noughts.players.simple import ChancePlayer, GreedyPlayer, PerfectPlayer, RandomPlayer
from noughts.rules.spec import short_repr
from noughts.sandbox.source import is_bot_file, read_bot
from noughts.search.kernels.layout import TECHNIQUE_NAMES

PLAYER_FORMS = {
    "random": "uniformly random legal moves; seed=N",
    "greedy": "looks one move and one reply ahead; seed=N",
    "q:RUN": "the greedy policy from `noughts train`: a run folder or its model file",
    "perfect": "exact play in games small enough to solve; seed=N",
    "easy, medium, hard": "alphabeta at level 2, 5 and 8",
    "alphabeta": "alpha-beta search within the clock; level=1 to 10, "
    "depth=N, nodes=N, time=SECONDS, memory=MB, without=TECHNIQUE, network=FILE or none, contempt=none",
    "mcts": "Monte Carlo tree search; games=N, time=SECONDS, memory=MB, seed=N",
    "llm:MODEL": f"a language model; {LLM_OPTIONS}",
    "ugi:PROGRAM ARGS": "an engine that speaks UGI; name=NAME, time=SECONDS, nodes=N, depth=N, notation=a1, "
    "and the engine's own options",
    "cg:PROGRAM ARGS": "a program for CodinGame's Ultimate Tic-Tac-Toe; name=NAME",
    "FILE.py": "a bot file, in the sandbox (FILE.py:NAME if it has several bots)",
}
"""Forms of players' names, with their options, for help texts."""

STRENGTHS = {"easy": "2", "medium": "5", "hard": "8"}
"""Levels of `alphabeta` by name, for people."""

LISTED_PLAYERS = {
    "random": frozenset({"seed"}),
    "greedy": frozenset({"seed"}),
    "perfect": frozenset({"seed"}),
    "alphabeta": frozenset({"seed", "level"}),
    "mcts": frozenset({"seed"}),
}
"""Players of `listed_player` with their allowed options, which exclude names and memory."""

LONGEST_NAME = 4096
NEAR = 0.45
"""Minimum similarity of a guess to a name: "alfa" means alphabeta."""


_REGISTERED: dict[str, Callable[[int | None], object]] = {}
"""Registered players, by name: a factory, called with a seed."""


def register_player(name: str, factory: Callable[[int | None], object]) -> None:
    """Registers a player of your own, such as a trained network, for `make_player`, matches, tournaments, evaluations
    and environments.

    factory: called with a seed, or None, and returns an object with a method choose(state, clock): see `Player`. It is
    called for each game, so load large data outside of it. Worker processes of a match (`jobs` above 1) get a pickled
    copy.

    >>> import noughts
    >>> class First:
    ...     def choose(self, state, clock):
    ...         return state.legal_actions()[0]
    >>> noughts.register_player("first", lambda seed: First())
    >>> noughts.make_player("first").choose(noughts.load_game("classic").new_initial_state(), noughts.Clock())
    0
    """
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,59}", name):
        raise ValueError(f"a player's name must be up to 60 lower-case letters, digits, - and _, not {quoted(name)}")
    if name in _MAKERS or name in STRENGTHS or name in _OUTSIDE or name == "human":
        raise ValueError(f"{name} is a built-in player; choose another name")
    _REGISTERED[name] = factory


@dataclass(frozen=True)
class Origin:
    """Where names of players were typed, which gives their paths and variables a meaning in any process.

    folder: where relative paths begin. variables: the environment variables that the names need.
    """

    folder: str = ""
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    @classmethod
    def of_this_process(cls, names: Iterable[str]) -> Origin:
        """Returns the origin of names typed here, for another process, with only the variables that they need."""
        wanted = {variable for name in names for variable in variables_of(name)}
        return cls(os.getcwd(), {name: os.environ[name] for name in wanted if name in os.environ})


THIS_PROCESS = Origin()


def own_player(player: str | object) -> OwnPlayer | None:
    """Returns a player object, or a registered name with its options, in a form that can be sent; None for other
    names."""
    if isinstance(player, OwnPlayer):
        return player
    if not isinstance(player, str):
        as_player(player)  # refuses objects that cannot choose
        return OwnPlayer(player_name(player), SameObject(player))
    factory = None if is_bot_file(player) else _REGISTERED.get(_split(player)[0])
    return None if factory is None else OwnPlayer(canonical_name(player), factory)


def make_player(
    player: str | object, *, seed: int | None = None, game: int | None = None, origin: Origin = THIS_PROCESS
) -> BasePlayer:
    """Returns the player that a trusted text names, or an object, class or function as a player.

    Raises ValueError if there is no such player, or the object cannot choose. seed: for a named player without one in
    its options. game: the number of a game in its run; the game's seed is then derived from the one in the options,
    since otherwise all games would be equal. origin: where the text was typed.

    >>> import noughts
    >>> noughts.make_player("alphabeta:depth=2").name
    'alphabeta'
    >>> noughts.make_player(lambda state, clock: state.legal_actions()[-1]).choose(
    ...     noughts.load_game("classic").new_initial_state(), noughts.Clock())
    8
    """
    if isinstance(player, OwnPlayer):
        return _own_player(player.text, player.factory, seed, game)
    if not isinstance(player, str):
        return as_player(player)
    text = player
    if len(text) > LONGEST_NAME:
        raise ValueError(f"the player's name has {len(text)} characters; the maximum is {LONGEST_NAME}")
    if seed is not None and abs(seed) > LARGEST_NUMBER:
        raise ValueError(f"a player's seed must be at most {LARGEST_NUMBER}, not {short_repr(seed)}")
    if is_bot_file(text):
        return BotPlayer(read_bot(text), seed=seed)
    kind, colon, _ = text.partition(":")
    if colon and kind in _OUTSIDE:
        return _OUTSIDE[kind](text, Options.read(text, text.partition("?")[2].split("&")), origin)
    name, rest = _split(text)
    if name not in _MAKERS and name not in STRENGTHS and name not in _REGISTERED:
        raise ValueError(f"there is no player {quoted(text)}; {_did_you_mean(name)}")
    if name in _REGISTERED:
        return _own_player(text, _REGISTERED[name], seed, game)
    name, options = _with_options(name, rest)
    options.spread_seed(game)
    if seed is not None:
        options.setdefault("seed", str(seed))
    if options.get("network", NO_NETWORK) != NO_NETWORK:
        options["network"] = os.path.join(origin.folder, options["network"])
    return _MAKERS[name](options)


def _own_player(text: str, factory: Callable[[int | None], object], seed: int | None, game: int | None) -> BasePlayer:
    """Returns a player from a program's factory."""
    if isinstance(factory, SameObject):
        return as_player(factory.player, name=text)
    name, rest = _split(text)
    options = Options.read(name, re.split(r"[&,]", rest))
    options.spread_seed(game)
    number = options.seed()
    _refuse_rest(name, options)
    return as_player(factory(seed if number is None else number), name=name)


def listed_player(text: str, *, seed: int | None = None) -> BasePlayer:
    """Returns the player that an untrusted text chooses from LISTED_PLAYERS. Raises ValueError if it chooses none."""
    name, rest = _split(text[:LONGEST_NAME])
    if name not in LISTED_PLAYERS and name not in STRENGTHS:
        raise ValueError(f"there is no player {quoted(name)}; choose from {', '.join(LISTED_PLAYERS)}")
    name, options = _with_options(name, rest)
    for option in options:
        if option not in LISTED_PLAYERS[name]:
            allowed = ", ".join(sorted(LISTED_PLAYERS[name]))
            raise ValueError(f"{name} does not allow the option {option[:40]!r}; it allows {allowed}")
    if seed is not None:
        options.setdefault("seed", str(seed))
    return _MAKERS[name](options)


def is_listed(text: str) -> bool:
    """Returns whether an untrusted text may choose this player."""
    try:
        listed_player(text).close()
    except ValueError:
        return False
    return True


def canonical_name(text: str) -> str:
    """Returns a trusted name in its canonical form: ``alphabeta?memory=256&depth=6`` is
    ``alphabeta:depth=6,memory=256``. Bot files, models and unknown names stay as they are.
    """
    name, rest = _split(text)
    if is_bot_file(text) or name not in (*_MAKERS, *STRENGTHS, *_REGISTERED):
        return text
    return ":".join(filter(None, [name, ",".join(sorted(filter(None, re.split("[&,]", rest))))]))


def _split(text: str) -> tuple[str, str]:
    """Splits off a possible name of a built-in player, in lower case; returns it and the rest."""
    name, *rest = re.split(r"[:?]", text, maxsplit=1)
    return name.strip().lower(), rest[0] if rest else ""


def _with_options(name: str, rest: str) -> tuple[str, Options]:
    """Returns a built-in player's own name and its options."""
    options = Options.read(name, re.split(r"[&,]", rest))
    if name in STRENGTHS:
        name, level = "alphabeta", STRENGTHS[name]
        options = Options({"level": level} | options)
    return name, options


def _did_you_mean(name: str) -> str:
    names = [*_MAKERS, *STRENGTHS, *_REGISTERED]
    close = difflib.get_close_matches(name, names, 2, NEAR)
    hint = f"did you mean {' or '.join(close)}?" if close else f"built in are {', '.join(names)}."
    return f"{hint} `noughts players` lists all"


def _by_chance(kind: type[ChancePlayer], options: Options) -> BasePlayer:
    seed = options.seed()
    _refuse_rest(kind.name, options)
    return kind(seed)


def _alphabeta(options: Options) -> BasePlayer:
    seed = options.seed()  # only for lower levels; level 10 has no randomness
    level = options.limit("level")
    if level is not None and level != 10:
        if options:
            raise ValueError(f"levels below 10 have their own limits; leave out {', '.join(sorted(options))}")
        return LevelPlayer(level, seed)
    player = AlphaBetaPlayer(
        depth=options.limit("depth"),
        nodes=options.limit("nodes"),
        seconds=options.seconds(),
        memory=options.megabytes(),
        without=_technique(options),
        network=options.pop("network", None),
        contempt=not options.has("contempt", "none"),
    )
    _refuse_rest("alphabeta", options)
    return player


def _mcts(options: Options) -> BasePlayer:
    player = MonteCarloPlayer(
        options.seed(),
        games=options.limit("games"),
        seconds=options.seconds(),
        memory=options.megabytes(),
    )
    _refuse_rest("mcts", options)
    return player


def _technique(options: Options) -> str | None:
    name = options.pop("without", None)
    if name is not None and name not in TECHNIQUE_NAMES:
        raise ValueError(f"without must be one of {', '.join(TECHNIQUE_NAMES)}, not {name!r}")
    return name


def _llm(text: str, options: Options, origin: Origin) -> BasePlayer:
    return llm.LlmPlayer(settings_of(_without_options(text, "llm:"), options, origin.variables))


def _learnt(text: str, options: Options, origin: Origin) -> BasePlayer:
    from noughts.players.q import LearntPlayer

    _refuse_rest("q:RUN", options)
    return LearntPlayer(os.path.join(origin.folder, _without_options(text, "q:")))


def _without_options(text: str, prefix: str) -> str:
    return text.removeprefix(prefix).partition("?")[0]


def _ugi(text: str, options: Options, origin: Origin) -> BasePlayer:
    name, letters = options.pop("name", text), options.has("notation", "a1")
    limits = search.Limits(options.seconds(), options.limit("nodes"), options.limit("depth"))
    return UgiPlayer(text, name, origin.folder, options, limits, letters=letters)


def _codingame(text: str, options: Options, origin: Origin) -> BasePlayer:
    name = options.pop("name", text)
    _refuse_rest("cg:PROGRAM ARGS", options)
    return CodinGamePlayer(text, name, origin.folder)


_OUTSIDE: dict[str, Callable[[str, Options, Origin], BasePlayer]] = {
    "llm": _llm,
    "q": _learnt,
    "ugi": _ugi,
    "cg": _codingame,
}
"""Players that read files, use servers or start programs, by the prefix before the colon."""


def _refuse_rest(name: str, options: Options) -> None:
    if options:
        option = next(iter(options))
        _what, _, known = PLAYER_FORMS.get(name, "; seed=N").partition("; ")
        raise ValueError(
            f"{name} has no option {quoted(option)}; {f'its options are {known}' if known else 'it has none'}"
        )


_MAKERS: dict[str, Callable[[Options], BasePlayer]] = {
    "random": partial(_by_chance, RandomPlayer),
    "greedy": partial(_by_chance, GreedyPlayer),
    "perfect": partial(_by_chance, PerfectPlayer),
    "alphabeta": _alphabeta,
    "mcts": _mcts,
}
