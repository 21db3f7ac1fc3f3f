"""Python 2's behaviour as functions, which `convert` copies into a bot if it needs them.

They are written to be cut out: `prelude` takes single functions and classes of these files with those they call,
without annotations and comments. So each stands alone, what it imports it calls py2_..., and it takes from
`py2_builtins` what `from numpy import *` in a bot would replace.
"""
