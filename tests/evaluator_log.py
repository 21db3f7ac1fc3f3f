"""Logs in the form of the course's evaluators, from the moves of a game."""

import noughts

TITLES = {
    "xtreme": ("=" * 16 + "BigBoard State" + "=" * 16, "=" * 14 + "SmallBoards States" + "=" * 14, "=" * 46),
    "extreme": ("=" * 14 + "Board State" + "=" * 14, "=" * 14 + "Block State" + "=" * 14, "=" * 39),
}
GAP = {"xtreme": "      ", "extreme": ""}


def board_text(state, extra=()):
    """A board as the evaluator prints it. extra: (cell, mark) that a bot left there."""
    rules = state.game.rules
    view = state.view()
    cells = ["-xo"[mark + 1] for mark in view.cells]
    for cell, mark in extra:
        cells[cell] = mark
    title, blocks, end = TITLES[rules.name]
    lines = [title]
    for row in range(rules.width):
        if row % rules.side == 0:
            lines.append("")
        parts = []
        for board in range(rules.boards):
            start = (board * rules.width + row) * rules.width
            groups = [" ".join(cells[start + i : start + i + rules.side]) for i in range(0, rules.width, rules.side)]
            parts.append(" " + "  ".join(groups))
        lines.append(GAP[rules.name].join(parts))
    lines += ["", blocks]
    for row in range(rules.side):
        start = [board * rules.cells + row * rules.side for board in range(rules.boards)]
        lines.append("    ".join(" ".join("xod-"[o] for o in view.owners[i : i + rules.side]) for i in start))
    return "\n".join([*lines, end, "", ""]) + "\n"


def status(state):
    if not state.is_terminal():
        return "('CONTINUE', '-')"
    winner = state.outcome().winner
    if winner is not None and state.outcome().reason == "line":
        return f"('{'xo'[winner]}', 'WON')"
    return "('NONE', 'DRAW')"


def log_of(name, actions, *, names=("Team11", "Team42"), message=None, prints=None, left=(), header=True):
    """A whole log. message: that of a fault, of the player to move. prints: a function of (move number, state), the
    text that the bot printed before that move. left: (cell, mark) on the last board, which is printed again then.
    """
    state = noughts.load_game(name).new_initial_state()
    parts = []
    if header:
        parts.append(f"##### START OF {names[0].upper()} VS. {names[1].upper()} #####\n")
    parts.append(f"{names[0]} (P1,x) is going first\n{names[1]} (P2,0) is going second\n")
    parts.append(board_text(state))
    for number, action in enumerate(actions):
        if prints:
            parts.append(prints(number, state))
        state.apply_action(action)
        parts.append(f"{status(state)}\n{board_text(state)}")
    if left:
        parts.append(board_text(state, left))
    parts.append(_result(state, names, message))
    return "".join(parts)


def _result(state, names, message):
    rules = state.game.rules
    if message is None:
        outcome = state.outcome()
        line = outcome.reason == "line"
        winner, points = outcome.winner if line else None, outcome.points
        message = "WON" if line else "DRAW"
    else:
        winner = 1 - state.current_player()
        points = rules.win_points if winner == 0 else rules.win_points[::-1]
    counts = [state.view().owners.count(owner) for owner in (0, 1, 2)]
    winner_name = "NONE" if winner is None else f"P{winner + 1}"
    return (
        f"Winner: {winner_name}\nMessage {message}\nx: {counts[0]}  o: {counts[1]}  d: {counts[2]}\n"
        f"##### END OF {names[0].upper()} VS. {names[1].upper()} #####\n"
        f"Player1 ({names[0]}) points: {points[0]}\nPlayer2 ({names[1]}) points: {points[1]}\n"
    )
