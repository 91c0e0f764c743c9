"""Names and headers of configs, as data.

A config of a run is a file ``<folder>/<stem>.py``; the folder says the data. Its name is
``<stem>_<folder>``, as ``detr_aug_vit_s_coco`` of ``coco/detr_aug_vit_s.py``; in ``own/``, for
pictures of a user's own, it is the stem. A header is a config's docstring: a title, then lines
``Key: text``, of which some go on in the next line, indented.

No config is run, and nothing but the standard library imported.
"""

import ast
import re
from pathlib import Path

FACT = re.compile(r'^([A-Z]\w*(?: \w+){0,2}): (.+(?:\n +.+)*)', re.MULTILINE)  # of few words
NO_RUNS = ('_base_', 'studies')  # folders whose files are no configs of a run
NAMED_BY_STEM = 'own'


def run_configs(configs: Path) -> dict[str, Path]:
    """Return the configs of runs in a folder by name, sorted."""
    files = [file for file in configs.glob('*/*.py') if file.parent.name not in NO_RUNS]
    return dict(sorted((name_of(file), file) for file in files))


def name_of(file: Path) -> str:
    """Return the name of a config of a run."""
    folder = file.parent.name
    return file.stem if folder == NAMED_BY_STEM else f'{file.stem}_{folder}'


def header(file: Path) -> str:
    """Return the docstring of a config, ``''`` where it has none."""
    return ast.get_docstring(ast.parse(file.read_text(encoding='utf-8'))) or ''


def facts(file: Path) -> dict[str, str]:
    """Return the title of a config's header as ``'Title'``, and its lines ``Key: text``.

    What several lines of a key say stands one behind the other.
    """
    text = header(file)
    title = ' '.join(text.partition('\n\n')[0].split()).removesuffix('.')
    lines: dict[str, str] = {}
    for key, said in FACT.findall(text):
        lines[key] = ' '.join([lines.get(key, ''), *said.split()]).strip()
    return {'Title': title, **lines}
