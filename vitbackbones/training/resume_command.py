"""The command that continues a run which has ended early."""

import shlex
import sys
from pathlib import Path

from mmengine.dist import is_distributed


def resume_hint() -> str:
    """Return the command that continues the run of this process; a smoke test begins again."""
    if '--smoke' in sys.argv:
        return 'start again with the same command'
    if is_distributed():  # the launcher's command is not known here
        return 'continue with the same command and --resume, without --pretrained or --overwrite'
    arguments = _without(_without(sys.argv, '--resume'), '--pretrained')
    kept = [word for word in arguments if word != '--overwrite']
    return 'continue with: ' + shlex.join([_interpreter(), *kept, '--resume'])


def _without(arguments: list[str], option: str) -> list[str]:
    """Return ``arguments`` without an option and its value."""
    kept = [word for word in arguments if not word.startswith(f'{option}=')]
    if option in kept:
        at = kept.index(option)
        takes_value = at + 1 < len(kept) and not kept[at + 1].startswith('-')
        del kept[at : at + 1 + takes_value]
    return kept


def _interpreter() -> str:
    """Return the Python that runs, as short as the current directory allows."""
    here = Path.cwd()
    python = Path(sys.executable)
    return str(python.relative_to(here) if python.is_relative_to(here) else python)
