"""What the frames of a traceback tell that an error of another package does not.

mmengine's errors name neither the config file nor the key behind them, and torch's none of the
part of a model. The variables of the functions that were running do. This is the one place that
looks at them.
"""

from pathlib import Path
from traceback import clear_frames, extract_tb, walk_tb
from types import FrameType
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A function that was running, by its name, in its file, with its local variables."""

    function: str
    file: str
    variables: dict[str, Any]


def calls(error: BaseException) -> list[Call]:
    """Return the functions that an error passed through, the outermost first.

    mmengine raises a TypeError of a hook again ``from None``: its own functions are added.
    """
    hidden = error.__context__ if error.__suppress_context__ else None
    steps = [*walk_tb(error.__traceback__), *walk_tb(hidden and hidden.__traceback__)]
    frames = [frame for frame, _ in steps]
    return [Call(f.f_code.co_name, f.f_code.co_filename, f.f_locals) for f in frames]


def owners(error: BaseException, method: str) -> list[Any]:
    """Return the objects that were running a method, the outermost first."""
    return [call.variables.get('self') for call in calls(error) if call.function == method]


def nearest(error: BaseException, kind: type) -> Any:
    """Return the object of a type that the function nearest to the error holds; else None."""
    found = [value for call in calls(error) for value in call.variables.values()]
    return next((value for value in reversed(found) if isinstance(value, kind)), None)


def config_files(error: BaseException) -> list[Path]:
    """Return the config files that mmengine was reading, the outermost first."""
    names = [call.variables.get('filename') for call in calls(error) if 'mmengine' in call.file]
    files = [Path(name).resolve() for name in names if isinstance(name, str)]
    return list(dict.fromkeys(files))


def line_of(error: BaseException, file: Path) -> int | None:
    """Return the line of a file that was being executed as a module."""
    steps = extract_tb(error.__traceback__)
    lines = [s.lineno for s in steps if s.name == '<module>' and Path(s.filename) == file]
    return next(iter(lines), None)


def last_line(error: BaseException) -> str:
    """Return the text of the line that raised an error."""
    return extract_tb(error.__traceback__)[-1].line or ''


def release(error: BaseException) -> None:
    """Clear the variables of the functions that an error passed through, and what they hold."""
    clear_frames(error.__traceback__)


def waits_for_data(frame: FrameType | None) -> bool:
    """Whether a frame belongs to torch's loader: waiting for its workers, or loading itself."""
    while frame is not None and frame.f_code.co_name not in ('_try_get_data', '_next_data'):
        frame = frame.f_back
    return frame is not None
