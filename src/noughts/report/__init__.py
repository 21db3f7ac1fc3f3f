"""The report of a tournament: web pages for a class, and the positions that a team should study."""

from noughts.report._gather import gather
from noughts.report._write import match_page, write_report

__all__ = ["gather", "match_page", "write_report"]
