"""Suites: single positions with exact answers, asked once each.

generator   rule variants by a seed, each game once under all its names
"""
