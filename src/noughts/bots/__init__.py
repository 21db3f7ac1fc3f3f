"""Bot files before their games: checked, and held to the submission rules."""
