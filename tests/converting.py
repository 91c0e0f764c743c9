"""Published state dicts in the keys of this package."""

from vitbackbones.weights.convert import FORMATS, find_format


def convert(state):
    """What ``unwrap`` gives in this package's keys, and the name of its format."""
    name = find_format(state)
    return FORMATS[name].convert(state), name
