"""What ``import vitbackbones`` fixes, each seen in a fresh process."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.compat
TOOLBOXES = ('mmdet', 'mmseg', 'mmpretrain')


def run(code):
    """Return what a process prints on both streams."""
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_import_is_silent():
    assert run('import vitbackbones') == ''


def test_imports_and_losses_are_silent():
    """No alarm about a metric that nothing uses or DETR's loss, no message for debugging."""
    code = (
        'import sys; sys.modules["faster_coco_eval"] = None\n'
        'import vitbackbones, mmdet.evaluation, mmseg.datasets, mmpretrain.datasets, torch\n'
        'from mmdet.models.losses import CrossEntropyLoss\n'
        'loss = CrossEntropyLoss(class_weight=torch.ones(2))\n'
        'loss(torch.zeros(1, 2), torch.tensor([0]), torch.ones(1))'
    )
    printed = run(code)
    for alarm in ('faster_coco_eval', 'copy construct', 'Could not import'):
        assert alarm not in printed


def test_mmpretrain_imports_beside_transformers_5(tmp_path):
    package = tmp_path / 'transformers'
    package.mkdir()
    (package / '__init__.py').write_text('raise ImportError("a name that is gone in 5")')
    info = tmp_path / 'transformers-5.0.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: transformers\nVersion: 5.0.0\n')
    run(
        f'import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport vitbackbones, mmpretrain.models'
    )


BUILT = """
from importlib import import_module
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope, init_default_scope
config = Config.fromfile({config!r})  # imports this package
DefaultScope.get_instance('a', scope_name={order[0]!r})
kinds = {{type(MODELS.build(config.backbone))}}
for toolbox in 2 * {order}:  # each again, after the others were there
    import_module(f'{{toolbox}}.models')
    init_default_scope(toolbox)
    kinds.add(type(import_module(f'{{toolbox}}.registry').MODELS.build(config.backbone)))
(kind,) = kinds
assert kind.__module__ == 'vitbackbones.backbones.vit', kind
"""


@pytest.mark.parametrize('order', [TOOLBOXES, TOOLBOXES[::-1]])
def test_toolboxes_share_a_process_in_any_order_from_a_config_alone(order, tmp_path):
    """No compiled operators; a name with a scope resolves in whichever toolbox comes first."""
    config = tmp_path / 'config.py'
    config.write_text(
        "custom_imports = dict(imports=['vitbackbones'])\n"
        "backbone = dict(type='vitbackbones.AugViT', arch='ti')\n"
    )
    run(BUILT.format(config=str(config), order=order))
