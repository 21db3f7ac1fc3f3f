"""Checks bot files before their games: the gate, a quick check, a whole class at once."""
