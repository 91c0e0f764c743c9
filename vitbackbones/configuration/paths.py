"""Where the relative paths of a config are looked up: the current directory, then the clone."""

from pathlib import Path

from .names import CONFIGS, INSTALLED

PACKAGE = Path(__file__).parents[1]
# an installed wheel has no folder of data and checkpoints beside it
CLONE = None if CONFIGS == INSTALLED else CONFIGS.parent


def is_remote(path: str | Path) -> bool:
    """Whether ``path`` is a URL or names a storage service, not a file of this machine."""
    return ':/' in str(path)  # pathlib makes one slash of two


def candidates(path: str | Path) -> list[Path]:
    """Return the places where ``path`` may be, in the order of their precedence."""
    path = Path(path).expanduser()
    if path.is_absolute() or CLONE in (None, Path.cwd()):
        return [path.absolute()]
    return [Path.cwd() / path, CLONE / path]


def resolve(path: str | Path) -> Path:
    """Return the first of the :func:`candidates` that exists, otherwise the first of all."""
    places = candidates(path)
    return next((place for place in places if place.exists()), places[0])


def looked_in(path: str | Path) -> str:
    """Return the candidates as the end of a message."""
    return ' and '.join(str(place) for place in candidates(path))
