"""What only ``openmmlab/`` does: change modules of others, look at frames, change classes.

Read from the syntax trees of the package.
"""

import ast
from pathlib import Path

import pytest

import vitbackbones

PACKAGE = Path(vitbackbones.__file__).parent
FRAMES = {
    *('__traceback__', 'tb_frame', 'tb_next', 'tb_lineno', 'exc_info', 'TracebackException'),
    *('f_back', 'f_code', 'f_globals', 'f_lineno', 'f_locals', 'walk_tb', 'walk_stack'),
    *('extract_tb', 'extract_stack', '_getframe', '_current_frames', 'currentframe', 'settrace'),
    *('setprofile', 'inspect.stack', 'inspect.trace'),
}
IMPORTS = {'meta_path', 'path_hooks', 'unittest'}  # of sys; mock.patch
# the one other module that may look at frames, and the one that finds modules by old paths
LOOKS_AT_FRAMES, FINDS_MODULES = 'utils/frames.py', 'utils/moved.py'
CHANGES = {'update', 'setdefault', 'pop', 'popitem', 'clear', '__setitem__', '__delitem__'}
ALLOWED = {
    # torch's own setting, for those who ask for compilation
    'layers/graphs.py: assigns torch._dynamo.config.cache_size_limit',
    # of one layer of a network, as torch's parametrizations do
    'layers/lora.py: assigns layer.__class__',
    # of this process, where its output was closed before it began
    'utils/process_settings.py: assigns sys.stdout',
}


def is_foreign(node, others):
    """Whether an expression is a part of what another package has given a name."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call) and ast.unparse(node.func) == 'vars':
        return is_foreign(node.args[0], others)
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith('import_module'):
        return True
    return getattr(node, 'id', None) in others


def changes(call, others):
    """Whether a call changes what belongs to another package, or the class of anything."""
    owner, _, name = ast.unparse(call.func).rpartition('.')
    if name.strip('_') in ('setattr', 'delattr'):
        classes = any(ast.unparse(argument) == "'__class__'" for argument in call.args)
        return classes or (owner != 'super()' and is_foreign(call.args[0], others))
    if name in CHANGES:
        inside = owner.startswith('vars(') or owner.endswith('.__dict__') or owner == 'sys.modules'
        return inside and is_foreign(call.func, others)
    return name.startswith('register') and any(k.arg == 'force' for k in call.keywords)


def names_used(node):
    if isinstance(node, ast.ImportFrom):
        return {node.module, *(f'{node.module}.{alias.name}' for alias in node.names)}
    if isinstance(node, ast.Attribute):
        return {node.attr, ast.unparse(node)}
    return {getattr(node, 'name', None), getattr(node, 'value', None)}


def faults(source):
    """Yield what a module may not do."""
    tree = ast.parse(source)
    others = set()  # names that it imports from other packages
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level):
            others |= {(name.asname or name.name).partition('.')[0] for name in node.names}
    for node in ast.walk(tree):
        if isinstance(getattr(node, 'ctx', None), ast.Store | ast.Del) and hasattr(node, 'value'):
            text, foreign = ast.unparse(node), is_foreign(node, others)
            if text.endswith('.__class__') or (foreign and not text.startswith('os.environ[')):
                yield f'assigns {text}'
        if isinstance(node, ast.Call) and changes(node, others):
            yield f'calls {ast.unparse(node)}'
        yield from (f'uses {name}' for name in FRAMES | IMPORTS if name in names_used(node))


@pytest.mark.parametrize(
    'source',
    [
        'from torch import nn\n(a, [nn.Linear, *b]) = c',
        'from torch import nn\nsetattr(nn, "Linear", f)',
        'object.__setattr__(part, "__class__", Other)',
        'import mmseg.apis\nvars(mmseg.apis).update(load=1)',
        'from importlib import import_module\nimport_module("mmseg.apis").load = 1',
        'from mmengine.runner import CheckpointLoader as A\nA.register_scheme("", f, force=True)',
        'from traceback import walk_tb',
    ],
)
def test_a_fault_is_found(source):
    assert [*faults(source)]


def test_only_one_folder_reaches_into_other_packages():
    files = [file for file in PACKAGE.rglob('*.py') if file.parent.name != 'openmmlab']
    found = {f'{f.relative_to(PACKAGE)}: {fault}' for f in files for fault in faults(f.read_text())}
    homes = {f'{LOOKS_AT_FRAMES}: uses {name}' for name in FRAMES}
    homes.add(f'{FINDS_MODULES}: uses meta_path')
    assert len(files) > 100
    assert found - homes == ALLOWED
