"""Course features: submissions and their rules, marks, files for an LMS, logs of the course's evaluators."""

from noughts._lazy import lazy_names

lazy_names(__name__)
