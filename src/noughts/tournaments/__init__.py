"""Tournaments: who meets whom, tables, ratings and marks. They know names of contestants and results, not games."""
