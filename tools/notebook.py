"""Write docs/tutorials/first_detector.ipynb from the page of this name, and run it.

python tools/notebook.py              # in an empty folder, minutes; keeps what is printed
python tools/notebook.py --no-run     # without outputs
"""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

import jupytext
import nbformat
from nbconvert.preprocessors import ExecutePreprocessor
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'docs' / 'tutorials' / 'first_detector.md'
TARGET = PAGE.with_suffix('.ipynb')
HEADER = """\
---
jupyter:
  kernelspec: {name: python3, display_name: Python 3, language: python}
---
"""
LINES = 12  # of what a cell prints; a training prints hundreds
COMMAND = '#!/bin/sh\nexec {python} {arguments} "$@"\n'


def notebook() -> NotebookNode:
    """Return the page as a notebook without outputs; blocks of bash are cells of it, too."""
    made = jupytext.reads(HEADER + PAGE.read_text(), fmt='md')
    for number, cell in enumerate(made.cells):
        cell.id = f'cell-{number}'  # the same each time
        cell.metadata.clear()
    return made


def execute(made: NotebookNode) -> None:
    """Run all cells with this interpreter and this clone, and keep the end of what each prints."""
    with TemporaryDirectory() as place:
        commands, folder = Path(place, 'bin'), Path(place, 'folder')
        commands.mkdir()
        folder.mkdir()
        for name, arguments in {'vitbackbones': '-m vitbackbones', 'python': ''}.items():
            text = COMMAND.format(python=sys.executable, arguments=arguments)
            commands.joinpath(name).write_text(text)
            commands.joinpath(name).chmod(0o755)
        os.environ['PATH'] = f'{commands}:{os.environ["PATH"]}'
        os.environ['PYTHONPATH'] = str(ROOT)
        ExecutePreprocessor(timeout=3600).preprocess(made, {'metadata': {'path': str(folder)}})
        for cell in made.cells:
            if cell.cell_type == 'code':
                cell.outputs = [_stream(cell.outputs, folder)]
                cell.metadata.clear()


def _stream(outputs: list[NotebookNode], folder: Path) -> NotebookNode:
    """Return all that a cell printed as one output, without the places of this machine."""
    text = ''.join(output.text for output in outputs)
    text = text.replace(f'{folder}/', '').replace(f'{ROOT}/', '').replace(str(ROOT), '.')
    lines = [line.rpartition('\r')[2] for line in text.splitlines()]
    kept = lines if len(lines) <= LINES else ['...', *lines[-LINES:]]
    return nbformat.v4.new_output('stream', text=''.join(f'{line}\n' for line in kept))


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument('--no-run', action='store_true', help='leave out the outputs')
    options = parser.parse_args()
    made = notebook()
    if not options.no_run:
        execute(made)
    nbformat.write(made, TARGET)


if __name__ == '__main__':
    main()
