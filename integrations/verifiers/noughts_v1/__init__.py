"""The tic-tac-toe family for verifiers v1."""

from noughts_v1.taskset import NoughtsEnv, NoughtsTaskset

__all__ = ["NoughtsEnv", "NoughtsTaskset"]
