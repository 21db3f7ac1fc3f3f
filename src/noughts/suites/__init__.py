"""Suites: single positions with exact answers, each asked once.

generator   rule variants by seed, without games that differ only in names
interest    decides whether a solved game is worth asking about
questions   a question, and a suite of them
suite       the questions of a seed, generated or read from disk
asking      asks a player all of them, into a file
scores      accuracy, regret and legality, with intervals over games
training    endless questions for training, and held-out games
"""

from noughts._lazy import lazy_names

lazy_names(__name__)
