"""``vitbackbones toolbox``: scripts that toolboxes bring, such as mmdet's confusion matrix.

They lie in the packages, in ``.mim/tools``, and most of them neither know our configs by name nor
run without mmcv's compiled operators. Here they do: what ``import vitbackbones`` changes is in
place before a script begins.
"""

import runpy
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from os.path import exists
from pathlib import Path

from ..configuration.names import find_config
from ..errors import InputError
from ..openmmlab.applying import apply_patches
from ..openmmlab.patches import IN_SCRIPT
from ..utils.messages import did_you_mean

TOOLBOXES = ('mmdet', 'mmseg', 'mmpretrain')
EXAMPLES = """\
examples:
  %(prog)s                             list all of them
  %(prog)s mmdet/confusion_matrix --help
  %(prog)s mmdet/browse_dataset detr_aug_vit_s_shapes --output-dir out --not-show
  %(prog)s mmseg/browse_dataset my_config.py --output-dir out --not-show

A word that is the name of a config ('vitbackbones configs') stands for its file. The exit status is
the script's own.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        'script', nargs='?', metavar='SCRIPT', help='one of those listed without it'
    )
    parser.add_argument('arguments', nargs=REMAINDER, metavar='...', help='arguments of the script')


def toolbox(options: Namespace) -> None:
    """Run a script of a toolbox, or list all.

    Raises:
        InputError: there is no such script, or a package that it imports is not installed.
    """
    found = scripts()
    if options.script is None:
        print(*shortest(found), sep='\n')
        return
    if options.script not in found:
        hint = did_you_mean(options.script, found.keys()) or "; 'vitbackbones toolbox' lists them"
        raise InputError(f'{options.script}: no script of an installed toolbox{hint}')
    file = found[options.script]
    apply_patches(IN_SCRIPT)
    # the name of a config stands for its file
    words = [w if exists(w) else str(find_config(w) or w) for w in options.arguments]
    with _as_started(file, words):
        try:
            runpy.run_path(str(file), run_name='__main__')
        except ModuleNotFoundError as error:
            raise InputError(
                f'{options.script} needs the package {error.name}, which is not installed: '
                f'pip install {error.name}'
            ) from error


def scripts() -> dict[str, Path]:
    """Return the scripts of all installed toolboxes, by long and short names.

    ``mmdet/analysis_tools/get_flops`` is also ``mmdet/get_flops``, the uppermost of that name.

    Raises:
        InputError: no toolbox is installed.
    """
    found = {}
    for package in TOOLBOXES:
        spec = find_spec(package)  # which does not import it
        places = spec.submodule_search_locations if spec else ()
        for folder in (Path(place, '.mim', 'tools') for place in places):
            files = sorted(folder.rglob('*.py'), key=lambda file: (len(file.parts), file))
            for file in files:
                found.setdefault(f'{package}/{file.stem}', file)
            for file in files:
                found[f'{package}/{file.relative_to(folder).with_suffix("").as_posix()}'] = file
    if not found:
        raise InputError(f'no toolbox is installed with its tools ({", ".join(TOOLBOXES)})')
    return found


def shortest(found: dict[str, Path]) -> list[str]:
    """Return one name for each script."""
    names: dict[Path, str] = {}
    for name in sorted(found, key=len, reverse=True):
        names[found[name]] = name
    return sorted(names.values())


@contextmanager
def _as_started(file: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Let ``sys`` look as if Python had started the file."""
    words, path = sys.argv, sys.path.copy()
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = words, path
