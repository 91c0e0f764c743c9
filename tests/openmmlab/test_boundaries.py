"""What only ``openmmlab/`` does: change modules of others, look at frames, change classes.

Read from the syntax trees of the package.
"""

import ast
from pathlib import Path

import pytest

import vitbackbones

PACKAGE = Path(vitbackbones.__file__).parent
FRAMES = {
    *(
        '__traceback__',
        'tb_frame',
        'tb_next',
        'tb_lineno',
        'tb_lasti',
        'exc_info',
        'TracebackException',
    ),
    *('f_back', 'f_code', 'f_globals', 'f_lineno', 'f_locals', 'gi_frame', 'cr_frame', 'ag_frame'),
    *('walk_tb', 'walk_stack', 'extract_tb', 'extract_stack', 'getinnerframes', 'getouterframes'),
    *('_getframe', '_current_frames', 'currentframe', 'settrace', 'setprofile'),
    *('inspect.stack', 'inspect.trace'),
}
IMPORTS = {'meta_path', 'path_hooks', 'unittest'}  # of sys; mock.patch
SETTERS = {'setattr', 'delattr', '__setattr__', '__delattr__'}
CHANGES = {'update', 'setdefault', 'pop', 'popitem', 'clear', '__setitem__', '__delitem__'}
IMPORTERS = {'import_module', '__import__', 'resolve_name'}
OPEN = {'os.environ'}  # what is there to be changed


# what other files may do, and why
ALLOWED = {
    **{
        f'commands/toolbox.py: assigns {name}': 'what a script reads when it is started'
        for name in ('sys.argv', 'sys.path[:]')
    },
    'layers/inference/pack.py: assigns layer.__class__': (
        'of the layers of a copy that it has made itself'
    ),
    'layers/inference/compiled.py: assigns torch._dynamo.config.cache_size_limit': (
        "torch's own setting, for those who ask for compilation"
    ),
}


def last_name(node):
    return getattr(node, 'attr', None) or getattr(node, 'id', None)


def is_foreign(node, others):
    """Whether an expression is a name, or a part of what has a name, of another package."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(is_foreign(part, others) for part in node.elts)
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    if isinstance(node, ast.Call):
        inside = last_name(node.func) == 'vars' and any(is_foreign(x, others) for x in node.args)
        return inside or last_name(node.func) in IMPORTERS
    return getattr(node, 'id', None) in others


def names_of_others(tree):
    """The names that a module has imported from other packages, or given to parts of them."""
    others = {'__builtins__'}
    for node in ast.walk(tree):
        absolute = isinstance(node, ast.ImportFrom) and not node.level
        if isinstance(node, ast.Import) or absolute:
            others |= {(name.asname or name.name).partition('.')[0] for name in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            pairs = [(target, node.value) for target in targets(node)]
        elif isinstance(node, ast.For | ast.comprehension):
            pairs = [(node.target, node.iter)]
        elif isinstance(node, ast.arguments):
            last = [*node.posonlyargs, *node.args][-len(node.defaults) :] if node.defaults else []
            pairs = [*zip(last, node.defaults, strict=True)]
            pairs += zip(node.kwonlyargs, node.kw_defaults, strict=True)
        else:
            continue
        plain = [(name, value) for name, value in pairs if not isinstance(value, ast.Call)]
        plain += [pair for pair in pairs if last_name(getattr(pair[1], 'func', None)) in IMPORTERS]
        names = [name for name, value in plain if value is not None and is_foreign(value, others)]
        others |= {getattr(name, 'id', None) or getattr(name, 'arg', None) for name in names}
    return others - {None}


def targets(node):
    """What a statement gives a value or deletes, one by one."""
    if isinstance(node, ast.Assign | ast.Delete):
        waiting = [*node.targets]
    elif isinstance(node, ast.withitem):
        waiting = [node.optional_vars]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr | ast.For):
        waiting = [node.target]
    else:
        return
    while waiting:
        target = waiting.pop()
        if isinstance(target, ast.Tuple | ast.List):
            waiting += target.elts
        elif isinstance(target, ast.Starred):
            waiting.append(target.value)
        elif target is not None:
            yield target


def changes(call, others):
    """Whether a call changes what belongs to another package, or the class of anything."""
    name, owner = last_name(call.func), getattr(call.func, 'value', None)
    if name in SETTERS:
        own = isinstance(owner, ast.Call)  # super().__setattr__(name, value)
        known = any(isinstance(x, ast.Constant) and x.value == '__class__' for x in call.args)
        return known or (not own and any(is_foreign(x, others) for x in [*call.args[:1]]))
    if name in CHANGES:
        text = ast.unparse(owner) if owner else ''
        inside = text.startswith('vars(') or text.endswith('.__dict__') or text == 'sys.modules'
        return inside and is_foreign(owner, others)
    registers = name is not None and name.startswith('register')
    return registers and any(keyword.arg == 'force' for keyword in call.keywords)


def faults(source):
    """Yield what a module may not do."""
    tree = ast.parse(source)
    others = names_of_others(tree)
    for node in ast.walk(tree):
        for target in targets(node):
            text, inside = ast.unparse(target), isinstance(target, ast.Attribute | ast.Subscript)
            if inside and is_foreign(target, others) and ast.unparse(target.value) not in OPEN:
                yield f'assigns {text}'
            if text.endswith('.__class__'):
                yield f'assigns {text}'
        if isinstance(node, ast.Call) and changes(node, others):
            yield f'calls {ast.unparse(node)}'
        if isinstance(node, ast.ImportFrom):
            used = {node.module, *(f'{node.module}.{alias.name}' for alias in node.names)}
        else:
            used = {getattr(node, 'attr', None), getattr(node, 'name', None)}
            used |= {ast.unparse(node)} if isinstance(node, ast.Attribute) else set()
            used |= {node.value} if isinstance(node, ast.Constant) else set()
        yield from (f'uses {name}' for name in used & (FRAMES | IMPORTS) if name)


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
        'import mmseg.apis\nmmseg.apis.__dict__["load"] = 1',
        'import mmseg.apis\nvars(mmseg.apis).update(load=1)',
        'import mmseg.apis\napis = mmseg.apis\napis.load = 1',
        'import mmseg\nfor module in (mmseg.apis, mmseg.models): module.load = 1',
        'import mmseg\ndef f(apis=mmseg.apis): apis.load = 1',
        'from importlib import import_module\nimport_module("mmseg.apis").load = 1',
        'from importlib import import_module\napis = import_module("mmseg.apis")\napis.load = 1',
        'from mmengine.runner import CheckpointLoader as A\nA.register_scheme("", f, force=True)',
        'from mmengine.registry import MODELS\nMODELS._module_dict["A"] = A',
        'import sys\nsys.modules.pop("mmseg")',
        'from sys import modules\nmodules["mmcv._ext"] = stub',
        'from unittest import mock',
        'from torch import nn\n(a, [nn.Linear, *b]) = c',
        'from torch import nn\nfor nn.Linear in classes: pass',
        'from torch import nn\nwith f() as nn.Linear: pass',
        'from torch import nn\ntype.__setattr__(nn.Linear, "forward", f)',
        'import builtins\nfrom torch import nn\nbuiltins.setattr(nn, "Linear", f)',
        'object.__setattr__(part, "__class__", Other)',
        'import inspect\ninspect.stack()',
        'from inspect import stack',
        'def f(error): return getattr(error, "__traceback__")',
        'import sys\nsys.exc_info()[2].tb_lineno',
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
        'import torch\nx = torch.zeros(3)\nx[0] = 1\nx = torch.stack([x])',
        'class A(B):\n    def __setattr__(self, *a): super().__setattr__(*a)',
        'from torch import nn\nsetattr(module, "act", nn.Linear)',
        'import traceback\ntraceback.format_exception(error)',
    ],
)
def test_what_is_none_is_not_found(source):
    assert not [*faults(source)]


def test_only_one_folder_reaches_into_other_packages():
    files = [file for file in PACKAGE.rglob('*.py') if file.parent.name != 'openmmlab']
    found = {
        f'{file.relative_to(PACKAGE)}: {fault}'
        for file in files
        for fault in faults(file.read_text())
    }
    assert len(files) > 100
    assert found == ALLOWED.keys()
