"""The base class of the package's errors."""


class NoughtsError(Exception):
    """The base of all errors of this package. Errors about a wrong value are ValueErrors too.

    >>> import noughts
    >>> try:
    ...     noughts.load_game("classic").new_initial_state().apply_action(9)
    ... except noughts.NoughtsError as error:
    ...     print(type(error).__name__)
    IllegalMove
    """
