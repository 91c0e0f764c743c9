"""What docstrings, comments and pages name by its path is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ('configs', 'docs', 'tests', 'tools', 'vitbackbones')
TEXTS = [ROOT / 'README.md'] + [
    file
    for folder in FOLDERS
    for file in sorted((ROOT / folder).rglob('*'))
    if file.suffix in ('.md', '.py', '.sh')
]
FILE = re.compile(rf'(?<![\w./-])(?:{"|".join(FOLDERS)})/[\w./-]+\.(?:py|md|sh)\b')
ROLE = re.compile(r':\w+:`~?(vitbackbones(?:\.\w+)+)`')
RELATIVE_ROLE = re.compile(r':\w+:`~?(\.+)([\w.]+)`')
# Pages and tests write these files themselves, or name them because they are missing.
NOT_THERE = ('my_backbone', 'conv_backbone', 'newcomer', 'test_adding_a_backbone', '_coc.py')
NOT_THERE += ('_s_coco.py', '_s_shapes.py', '/detr_aug_vits.py')  # paths of before, and misspelled
NOT_THERE += ('docs/NAME.md', 'made_up', 'faster_rcnn_r50_fpn_1x', 'configs/gfl/')  # of mmdet


def is_there(dotted: str) -> bool:
    """Whether a dotted name is a module, or a name in the text of one."""
    parts = dotted.split('.')
    for count in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:count])
        file = place / '__init__.py' if place.is_dir() else place.with_suffix('.py')
        if file.is_file():
            text = file.read_text()
            return all(re.search(rf'\b{name}\b', text) for name in parts[count:])
    return False


@pytest.mark.parametrize('pattern', [FILE, ROLE], ids=['files', 'modules and their contents'])
def test_what_a_text_names_is_there(pattern):
    missing = []
    for text in TEXTS:
        for name in pattern.findall(text.read_text()):
            found = (
                is_there(name)
                if pattern is ROLE
                else any((folder / name).is_file() for folder in (ROOT, ROOT / 'tests'))
            )
            if not found and not any(part in name for part in NOT_THERE):
                missing.append(f'{text.relative_to(ROOT)}: {name}')
    assert missing == []


def test_what_a_docstring_names_relative_to_its_module_is_there():
    missing = []
    for file in sorted((ROOT / 'vitbackbones').rglob('*.py')):
        folder = file.relative_to(ROOT).parent.parts
        for dots, name in RELATIVE_ROLE.findall(file.read_text()):
            if not is_there('.'.join((*folder[: len(folder) + 1 - len(dots)], name))):
                missing.append(f'{file.relative_to(ROOT)}: {dots}{name}')
    assert missing == []
