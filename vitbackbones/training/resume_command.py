"""The command that continues a run which has ended early."""

import shlex
import sys
from pathlib import Path

from ..processes import others_joined
from ..verbs import from_here, program


def resume_hint() -> str:
    """Return the command that continues the run of this process; a smoke test begins again."""
    if '--smoke' in sys.argv:
        return 'start again with the same command'
    if others_joined():  # the launcher's command is not known here
        return 'continue with the same command and --resume, without --pretrained or --overwrite'
    arguments = _without(_without(sys.argv[1:], '--resume'), '--pretrained')
    kept = [word for word in arguments if word != '--overwrite']
    started = program(str(from_here(Path(sys.executable))))
    return 'continue with: ' + shlex.join([*started, *kept, '--resume'])


def _without(arguments: list[str], option: str) -> list[str]:
    """Return ``arguments`` without an option and its value."""
    kept = [word for word in arguments if not word.startswith(f'{option}=')]
    if option in kept:
        at = kept.index(option)
        takes_value = at + 1 < len(kept) and not kept[at + 1].startswith('-')
        del kept[at : at + 1 + takes_value]
    return kept
