"""Course features: submissions and their rules, marks, files for an LMS, logs of the course's evaluators."""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.course.marks import Mark as Mark
    from noughts.course.marks import Part as Part
    from noughts.course.marks import course_marks as course_marks
    from noughts.course.marks import gradescope as gradescope
    from noughts.course.marks import threshold_marks as threshold_marks
    from noughts.course.marks import to_csv as to_csv
    from noughts.course.thresholds import Threshold as Threshold
    from noughts.course.thresholds import ThresholdError as ThresholdError
    from noughts.course.thresholds import parse_thresholds as parse_thresholds
    from noughts.course.thresholds import read_thresholds as read_thresholds

lazy_names(
    __name__,
    {
        "marks": "Mark Part course_marks gradescope threshold_marks to_csv",
        "thresholds": "Threshold ThresholdError parse_thresholds read_thresholds",
    },
)
