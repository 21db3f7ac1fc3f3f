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
from dataclasses import dataclass, field, replace
from typing import Any

from noughts import search
from noughts.notation import quoted
from noughts.players import llm
from noughts.players.alphabeta import NO_NETWORK, AlphaBetaPlayer, LevelPlayer
from noughts.players.bot import BotPlayer
from noughts.players.engines import CodinGamePlayer, UgiPlayer
from noughts.players.llm.settings import OPTIONS as LLM_OPTIONS
from noughts.players.llm.settings import settings_of, variables_of
from noughts.players.mcts import MonteCarloPlayer
from noughts.players.options import (
    DEPTH,
    LARGEST_NUMBER,
    MEMORY,
    NODES,
    SEED,
    TIME,
    Option,
    Options,
    forms,
    limit,
    only,
    words,
)
from noughts.players.own import OwnPlayer, SameObject
from noughts.players.protocol import BasePlayer, as_player, player_name
from noughts.players.simple import GreedyPlayer, PerfectPlayer, RandomPlayer
from noughts.printable import listed
from noughts.rules.spec import short_repr
from noughts.sandbox.source import is_bot_file, read_bot
from noughts.search.kernels.layout import TECHNIQUE_NAMES

STRENGTHS = {"easy": "2", "medium": "5", "hard": "8"}
"""Levels of `alphabeta` by name, for people."""

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
    if name in BUILT_IN or name in STRENGTHS or name in OUTSIDE or name == "human":
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
    prefix, colon, rest = text.partition(":")
    if colon and prefix in OUTSIDE:
        named, _, parts = rest.partition("?")
        return OUTSIDE[prefix].make(named, text, Options.read(text, parts.split("&")), origin)
    name, rest = _split(text)
    if name not in BUILT_IN and name not in STRENGTHS and name not in _REGISTERED:
        raise ValueError(f"there is no player {quoted(text)}; {_did_you_mean(name)}")
    if name in _REGISTERED:
        return _own_player(text, _REGISTERED[name], seed, game)
    name, options = _with_options(name, rest)
    options.spread_seed(game)
    if seed is not None:
        options.setdefault("seed", str(seed))
    if options.get("network", NO_NETWORK) != NO_NETWORK:
        options["network"] = os.path.join(origin.folder, options["network"])
    return _built_in(name, options)


def _own_player(text: str, factory: Callable[[int | None], object], seed: int | None, game: int | None) -> BasePlayer:
    """Returns a player from a program's factory."""
    if isinstance(factory, SameObject):
        return as_player(factory.player, name=text)
    name, rest = _split(text)
    options = Options.read(name, re.split(r"[&,]", rest))
    options.spread_seed(game)
    values = options.values_of([SEED])
    options.refuse_rest(name, [SEED])
    return as_player(factory(values.get("seed", seed)), name=name)


def listed_player(text: str, *, seed: int | None = None) -> BasePlayer:
    """Returns the built-in player that an untrusted text chooses, with its listed options only. Raises ValueError if it
    chooses none."""
    name, rest = _split(text[:LONGEST_NAME])
    if name not in BUILT_IN and name not in STRENGTHS:
        raise ValueError(f"there is no player {quoted(name)}; choose from {', '.join(BUILT_IN)}")
    name, options = _with_options(name, rest)
    listed = sorted(option.name for option in BUILT_IN[name].options if option.listed)
    for option in options:
        if option not in listed:
            raise ValueError(f"{name} does not allow the option {option[:40]!r}; it allows {', '.join(listed)}")
    if seed is not None:
        options.setdefault("seed", str(seed))
    return _built_in(name, options)


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
    if is_bot_file(text) or name not in (*BUILT_IN, *STRENGTHS, *_REGISTERED):
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
    names = [*BUILT_IN, *STRENGTHS, *_REGISTERED]
    close = difflib.get_close_matches(name, names, 2, NEAR)
    hint = f"did you mean {' or '.join(close)}?" if close else f"built in are {', '.join(names)}."
    return f"{hint} `noughts players` lists all"


def _built_in(name: str, options: Options) -> BasePlayer:
    """Returns a built-in player with these options."""
    kind = BUILT_IN[name]
    values = options.values_of(kind.options)
    options.refuse_rest(name, kind.options)
    return kind.make(**values)


def _alphabeta(*, seed: int | None = None, level: int | None = None, **options: Any) -> BasePlayer:
    """Returns the search or one of its levels; only lower levels use the seed."""
    if level is not None and level != 10:
        if options:
            raise ValueError(f"levels below 10 have their own limits; leave out {', '.join(sorted(options))}")
        return LevelPlayer(level, seed)
    contempt = options.pop("contempt", None) is None
    return AlphaBetaPlayer(seconds=options.pop("time", None), contempt=contempt, **options)


def _mcts(*, seed: int | None = None, time: float | None = None, **options: Any) -> BasePlayer:
    return MonteCarloPlayer(seed, seconds=time, **options)


def _technique(name: str, text: str) -> str:
    if text not in TECHNIQUE_NAMES:
        raise ValueError(f"{name} must be one of {', '.join(TECHNIQUE_NAMES)}, not {text!r}")
    return text


def _learnt(run: str, text: str, options: Options, origin: Origin) -> BasePlayer:
    from noughts.players.q import LearntPlayer

    options.refuse_rest("q:RUN", ())
    return LearntPlayer(os.path.join(origin.folder, run))


def _llm(model: str, text: str, options: Options, origin: Origin) -> BasePlayer:
    return llm.LlmPlayer(settings_of(model, options, origin.variables))


def _ugi(command: str, text: str, options: Options, origin: Origin) -> BasePlayer:
    """Returns an engine; options that are not ours are the engine's own."""
    values = options.values_of(OUTSIDE["ugi"].options)
    limits = search.Limits(values.get("time"), values.get("nodes"), values.get("depth"))
    return UgiPlayer(text, values.get("name", text), origin.folder, options, limits, letters="notation" in values)


def _codingame(command: str, text: str, options: Options, origin: Origin) -> BasePlayer:
    kind = OUTSIDE["cg"]
    name = options.values_of(kind.options).get("name", text)
    options.refuse_rest(kind.form, kind.options)
    return CodinGamePlayer(text, name, origin.folder)


@dataclass(frozen=True)
class PlayerKind:
    """A kind of players that a name can choose."""

    what: str
    """How it plays, for help texts."""
    options: tuple[Option, ...]
    make: Callable[..., BasePlayer]
    """Returns the player. Called with the values of the given options; in OUTSIDE with the name after the prefix, the
    whole text, the options and the origin of the text."""
    form: str = ""
    """How to write it, if not by its name alone."""
    more: str = ""
    """Further options, for help texts."""
    answers_at_once: bool = False
    """Whether it moves within milliseconds, whatever the clock."""

    @property
    def described(self) -> str:
        """How it plays, and its options."""
        return f"{self.what}; {forms(self.options)}{self.more}" if self.options else self.what


_NAME = Option("name", "NAME", words)

BUILT_IN: dict[str, PlayerKind] = {
    "random": PlayerKind("uniformly random legal moves", (SEED,), RandomPlayer, answers_at_once=True),
    "greedy": PlayerKind("looks one move and one reply ahead", (SEED,), GreedyPlayer, answers_at_once=True),
    "perfect": PlayerKind("exact play in games small enough to solve", (SEED,), PerfectPlayer, answers_at_once=True),
    "alphabeta": PlayerKind(
        "alpha-beta search within the clock",
        (
            replace(SEED, shown=False),
            Option("level", "1 to 10", limit, listed=True),
            *(DEPTH, NODES, TIME, MEMORY),
            Option("without", "TECHNIQUE", _technique),
            Option("network", "FILE or none", words),
            Option("contempt", "none", only("none")),
        ),
        _alphabeta,
    ),
    "mcts": PlayerKind("Monte Carlo tree search", (Option("games", "N", limit), TIME, MEMORY, SEED), _mcts),
}
"""Players without files, servers or programs: text from elsewhere may choose them, with their listed options."""

OUTSIDE: dict[str, PlayerKind] = {
    "q": PlayerKind("the greedy policy from `noughts train`: a run folder or its model file", (), _learnt, "q:RUN"),
    "llm": PlayerKind("a language model", LLM_OPTIONS, _llm, "llm:MODEL"),
    "ugi": PlayerKind(
        "an engine that speaks UGI",
        (_NAME, TIME, NODES, DEPTH, Option("notation", "a1", only("a1"))),
        _ugi,
        "ugi:PROGRAM ARGS",
        ", and the engine's own options",
    ),
    "cg": PlayerKind("a program for CodinGame's Ultimate Tic-Tac-Toe", (_NAME,), _codingame, "cg:PROGRAM ARGS"),
}
"""Players that read files, use servers or start programs, by the prefix before the colon."""


def player_forms() -> dict[str, str]:
    """Returns the forms of players' names, each with how it plays and its options, for help texts."""
    levels = {", ".join(STRENGTHS): f"alphabeta at level {listed(list(STRENGTHS.values()), 'and')}"}
    outside = {kind.form: kind.described for kind in OUTSIDE.values()}
    bots = {"FILE.py": "a bot file, in the sandbox (FILE.py:NAME if it has several bots)"}
    return {name: kind.described for name, kind in BUILT_IN.items()} | levels | outside | bots
