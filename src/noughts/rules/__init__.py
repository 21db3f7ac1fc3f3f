"""The rules of every game, as data that one compiled kernel reads."""
