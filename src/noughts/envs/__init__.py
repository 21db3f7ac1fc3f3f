"""Environments: the games behind the interfaces that other people's agents know."""
