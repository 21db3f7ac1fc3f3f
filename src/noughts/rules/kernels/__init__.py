"""The compiled rules: what is legal, what a move does and how a game ends, for one state or for many."""
