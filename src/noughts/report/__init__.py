"""The report of a tournament: web pages for a class, and the positions that a team should look at again."""

from noughts.report._gather import gather
from noughts.report._match import match_page
from noughts.report._puzzles import puzzles_of, write_puzzles
from noughts.report._write import write_report

__all__ = ["gather", "match_page", "puzzles_of", "write_puzzles", "write_report"]
