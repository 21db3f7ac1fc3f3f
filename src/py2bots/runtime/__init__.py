"""Python 2's behaviour as functions, which `convert` copies into a bot if it needs them.

`prelude` copies single functions and classes from these files, with those that they call, without annotations and
comments. So each stands alone. Imports are named py2_..., and names that `from numpy import *` in a bot would replace
come from `py2_builtins`.
"""
