"""Old bots: from Python 2 to Python 3, by the fixers of fissix and some of our own for what it leaves alone."""
