"""An MCP server to play and analyse the games from any client: `noughts mcp`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import ParamSpec

from noughts.analysis.evaluator import evaluator_for
from noughts.envs.episode import Episode, offered
from noughts.library import game_names, load_game
from noughts.text.prompts import prompt
from noughts.text.replies import reader_of

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as _error:
    raise ImportError("noughts.envs.mcp needs mcp 2 or newer: pip install mcp") from _error

P = ParamSpec("P")

MOST_GAMES = 100
"""Maximum number of games; beyond it the oldest is dropped."""
LONGEST_TEXT = 10_000


class Table:
    """The games of one server."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, Episode] = OrderedDict()
        self._numbers = count(1)

    def add(self, episode: Episode) -> str:
        name = str(next(self._numbers))
        self._games[name] = episode
        while len(self._games) > MOST_GAMES:
            self._games.popitem(last=False)
        return name

    def find(self, name: str) -> Episode:
        if name not in self._games:
            raise ValueError(f"there is no game {name[:40]!r}; call new_game to begin one")
        return self._games[name]


def _with_tool_errors(tool: Callable[P, str]) -> Callable[P, str]:
    """Returns the tool with its errors as `ToolError`, whose text reaches the client."""

    @wraps(tool)
    def call(*arguments: P.args, **named: P.kwargs) -> str:
        try:
            return tool(*arguments, **named)
        except ValueError as error:
            raise ToolError(str(error)) from error

    return call


def make_server() -> MCPServer:
    """Returns a server with its own games."""
    server = MCPServer("noughts", instructions="Tic-tac-toe games: play against an opponent, or analyse positions.")
    table = Table()

    @server.tool()
    @_with_tool_errors
    def games() -> str:
        """The games that can be played, with a sentence on each."""
        return "\n".join(f"{name}: {load_game(name).rules.summary}" for name in game_names())

    @server.tool()
    @_with_tool_errors
    def rules(game: str) -> str:
        """The rules of a game, from the first player's view."""
        return prompt(load_game(game[:LONGEST_TEXT]).rules, 0)

    @server.tool()
    @_with_tool_errors
    def new_game(game: str = "wild", opponent: str = "random", seat: int = 0, seed: int = 0) -> str:
        """Begin a game against random, greedy, perfect or alphabeta:level=1 to 9. seat 0 moves first.

        Returns the number of the game, its rules and the board.
        """
        episode = offered(game, seat=seat, opponent=opponent, seed=seed, error_allowance=100)
        text = episode.reset()
        return f"game {table.add(episode)}\n\n{text}"

    @server.tool()
    @_with_tool_errors
    def play(game_id: str, move: str) -> str:
        """Play a move such as [X 4] in a game of new_game; returns what happened since, with the opponent's answer."""
        episode = table.find(game_id)
        if episode.done:
            return f"The game is over. {episode.env.ending}"
        return episode.step(move[:LONGEST_TEXT])[0]

    @server.tool()
    @_with_tool_errors
    def analyse(game: str, position: str = "") -> str:
        """What every legal move of a position is worth to the player who makes it, the best first.

        position: as in "X../.O./..X p1"; none: the start.
        """
        known = load_game(game[:LONGEST_TEXT])
        state = known.from_string(position[:LONGEST_TEXT]) if position else known.new_initial_state()
        if state.is_terminal():
            return "The game is over in this position."
        names, found = reader_of(known.rules).names, evaluator_for(known).evaluate_moves(state)
        lines = [f"{names[action]}: {each.words}" for action, each in found.items()]
        return "\n".join([str(state), "", *lines])

    return server
