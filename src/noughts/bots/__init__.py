"""Bot files before their games: read, checked, held to the submission rules, brought from Python 2 to 3."""
