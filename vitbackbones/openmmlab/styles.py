"""Styles of matplotlib under the names that seaborn gave them, without seaborn."""

PREFIX = 'seaborn-v0_8-'
NAMES = ('dark', 'darkgrid', 'ticks', 'white', 'whitegrid')


def with_short_names(library: dict) -> None:
    """Add what matplotlib has of seaborn to its table of styles, as importing seaborn did."""
    for name in NAMES:
        library.setdefault(name, library[f'{PREFIX}{name}'])
