"""The compiled part of solving."""
