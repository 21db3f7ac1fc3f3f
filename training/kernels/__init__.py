"""The compiled part of making training data."""
