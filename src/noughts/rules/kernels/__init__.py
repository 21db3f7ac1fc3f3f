"""The rules, compiled: what is legal, what a move does, how a game ends, for one state or for many."""
