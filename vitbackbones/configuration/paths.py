"""Where the relative paths of a config are looked up: the current directory, then the project."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
PROJECT_ROOT = PACKAGE.resolve().parent


def is_remote(path: str | Path) -> bool:
    """Whether ``path`` is a URL or names a storage service, not a file of this machine."""
    return ':/' in str(path)  # pathlib makes one slash of two


def candidates(path: str | Path) -> list[Path]:
    """Return the places where ``path`` may be, in the order of their precedence."""
    path = Path(path).expanduser()
    if path.is_absolute() or Path.cwd() == PROJECT_ROOT:
        return [path.absolute()]
    return [Path.cwd() / path, PROJECT_ROOT / path]


def resolve(path: str | Path) -> Path:
    """Return the first of the :func:`candidates` that exists, otherwise the first of all."""
    places = candidates(path)
    return next((place for place in places if place.exists()), places[0])


def looked_in(path: str | Path) -> str:
    """Return the candidates as the end of a message."""
    return ' and '.join(str(place) for place in candidates(path))
