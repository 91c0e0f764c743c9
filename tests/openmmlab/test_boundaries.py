"""What only ``openmmlab/`` does: change modules of others, look at frames, change classes.

Read from the syntax trees of the package.
"""

import ast
from pathlib import Path

import pytest

import vitbackbones

PACKAGE = Path(vitbackbones.__file__).parent
FRAMES = {'f_back', 'f_code', 'f_globals', 'f_locals', 'tb_frame', 'tb_next', '__traceback__'}
READERS = {'walk_tb', 'walk_stack', 'extract_tb', 'extract_stack', '_getframe', 'currentframe'}
IMPORTS = {'meta_path', 'path_hooks'}  # of sys


def names_of_others(tree):
    """The names that a module has imported from other packages."""
    for node in ast.walk(tree):
        absolute = isinstance(node, ast.ImportFrom) and not node.level
        if isinstance(node, ast.Import) or absolute:
            for name in node.names:
                yield (name.asname or name.name).partition('.')[0]


def root(node):
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return getattr(node, 'id', None)


def targets(node):
    if isinstance(node, ast.Assign | ast.Delete):
        return node.targets
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


def faults(source):
    """Yield what a module may not do."""
    tree = ast.parse(source)
    others = {*names_of_others(tree)}
    for node in ast.walk(tree):
        for target in targets(node):
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            for part in parts:
                text = ast.unparse(part)
                changed = isinstance(part, ast.Attribute) or text.startswith('sys.modules')
                if changed and root(part) in others:
                    yield f'assigns {text}'
                if text.endswith('.__class__'):
                    yield f'assigns {text}'
        sets = isinstance(node, ast.Call) and ast.unparse(node.func) in ('setattr', 'delattr')
        if sets and root(node.args[0]) in others:
            yield f'calls {ast.unparse(node)}'
        name = getattr(node, 'attr', None) or getattr(node, 'name', None)
        if name in FRAMES | READERS | IMPORTS:
            yield f'uses {name}'


@pytest.mark.parametrize(
    'source',
    [
        'import mmseg.apis\nmmseg.apis.load = 1',
        'from mmengine.runner import CheckpointLoader\nCheckpointLoader.load_checkpoint = f',
        'import sys\nsys.modules["mmcv._ext"] = stub',
        'from torch import nn\na, nn.Linear = 1, 2',
        'from torch import nn\nsetattr(nn, "Linear", f)',
        'part.__class__ = Other',
        'from traceback import walk_tb',
        'import traceback\ntraceback.extract_tb(x)',
        'def f(frame): return frame.f_locals',
        'import sys\nsys.meta_path.insert(0, finder)',
    ],
)
def test_a_fault_is_found(source):
    assert [*faults(source)]


@pytest.mark.parametrize(
    'source',
    [
        'class A:\n    def f(self): self.x = 1',
        'from .errors import A\nA.x = 1',
        'import os\nos.environ["A"] = "1"',
        'import traceback\ntraceback.format_exception(error)',
    ],
)
def test_what_is_none_is_not_found(source):
    assert not [*faults(source)]


def test_only_one_folder_reaches_into_other_packages():
    files = [file for file in PACKAGE.rglob('*.py') if file.parent.name != 'openmmlab']
    found = [f'{file}: {fault}' for file in files for fault in faults(file.read_text())]
    assert len(files) > 100
    assert not found
