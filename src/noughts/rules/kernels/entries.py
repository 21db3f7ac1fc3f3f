"""The entry points: every compiled function that is called from outside the kernels, by module.

`build_kernels.py` builds them, `noughts warm` compiles them, and callers load them by name (`rules/calls.py`). To add
one, decorate it with `jit.entry` and name it here.
"""

from __future__ import annotations

from typing import Final

ENTRY_POINTS: Final = {
    "noughts.rules.kernels.core": "state_refresh state_apply state_undo state_points state_playable",
    "noughts.rules.kernels.observe": "observe",
    "noughts.rules.kernels.images": "map_row least_row",
    "noughts.rules.kernels.batch": "reset_all step_all choose_all mask_all",
    "noughts.rules.kernels.playout": "play_games",
    "noughts.rules.kernels.perft": "count_sequences",
    "noughts.envs.kernels": "step_all_games",
    "noughts.solving.kernels.graph": "position_code child_codes enter_all expand",
    "noughts.learn.kernels.pairs": "learn_pairs rehash find_values",
    "noughts.learn.kernels.greedy": "evaluate_greedy",
    "noughts.learn.kernels.afterstates": "learn_afterstates learn_by_self_play greedy_targets",
    "noughts.search.kernels.position": "set_position read_line",
    "noughts.search.kernels.alphabeta": "alpha_beta",
    "noughts.search.kernels.mcts": "run_simulations re_root",
}
"""By module, the names of its entry points. A name belongs to one module only."""

MODULES: Final = {name: module for module, names in ENTRY_POINTS.items() for name in names.split()}
"""The module of each entry point."""
