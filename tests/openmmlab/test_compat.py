"""What ``import vitbackbones`` fixes, each seen in a fresh process."""

import subprocess
import sys

import mmcv._ext
import pytest
import torch
from mmcv.ops import box_iou_rotated

from vitbackbones.configuration.names import config_files

pytestmark = pytest.mark.compat
CONFIG = config_files()['detr_sret_s_shapes']


def run(code):
    return subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', code], capture_output=True, text=True, timeout=300
    )


def test_import_is_silent():
    result = run('import vitbackbones')
    assert (result.returncode, result.stdout, result.stderr) == (0, '', '')


def test_imports_and_losses_are_silent():
    """No alarm about a metric that nothing uses or DETR's loss, no message for debugging."""
    code = (
        'import sys; sys.modules["faster_coco_eval"] = None\n'
        'import vitbackbones, mmdet.evaluation, mmseg.datasets, mmpretrain.datasets, torch\n'
        'from mmdet.models.losses import CrossEntropyLoss\n'
        'loss = CrossEntropyLoss(class_weight=torch.ones(2))\n'
        'loss(torch.zeros(1, 2), torch.tensor([0]), torch.ones(1))'
    )
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert 'faster_coco_eval' not in result.stderr
    assert 'copy construct' not in result.stderr
    assert 'Could not import' not in result.stdout


@pytest.mark.skipif(hasattr(mmcv._ext, '__file__'), reason='mmcv has its operators')
def test_a_missing_operator_says_so_when_called():
    with pytest.raises(ImportError, match='needs the compiled mmcv extension.* nms, '):
        box_iou_rotated(torch.zeros(1, 5), torch.zeros(1, 5))


def test_mmpretrain_imports_beside_transformers_5(tmp_path):
    package = tmp_path / 'transformers'
    package.mkdir()
    (package / '__init__.py').write_text('raise ImportError("a name that is gone in 5")')
    info = tmp_path / 'transformers-5.0.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text('Metadata-Version: 2.1\nName: transformers\nVersion: 5.0.0\n')
    path = f'import sys; sys.path.insert(0, {str(tmp_path)!r})\n'
    result = run(path + 'import vitbackbones, mmpretrain.models')
    assert result.returncode == 0, result.stderr


# How each toolbox builds a model on one of our backbones, from the type alone, and runs it.
BUILD = {
    'mmdet': f"""
from mmdet.registry import MODELS
from mmengine.config import Config
model = MODELS.build(Config.fromfile({str(CONFIG)!r}).model)
shape = model.extract_feat(torch.zeros(1, 3, 64, 96))[0].shape
assert shape == (1, 128, 4, 6), shape
""",
    'mmseg': """
from mmseg.registry import MODELS
model = MODELS.build(dict(
    type='EncoderDecoder',
    backbone=dict(type='vitbackbones.TNT', arch='ti', img_size=64),
    decode_head=dict(
        type='FCNHead', in_channels=192, channels=8, num_convs=1, num_classes=5,
        norm_cfg=dict(type='BN'))))
shape = model(torch.zeros(2, 3, 64, 96)).shape
assert shape == (2, 5, 4, 6), shape
""",
    'mmpretrain': """
from mmpretrain.registry import MODELS

from vitbackbones.configuration.names import config_files
model = MODELS.build(dict(
    type='ImageClassifier',
    backbone=dict(type='vitbackbones.MSFViT', arch='ti', out_type='pooled'),
    head=dict(type='LinearClsHead', in_channels=192, num_classes=7)))
shape = model(torch.zeros(1, 3, 64, 64)).shape
assert shape == (1, 7), shape
""",
}


FROM_A_CONFIG = """
import torch
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
config = Config.fromfile({config!r})
DefaultScope.get_instance('a', scope_name={scope!r})
built = type(MODELS.build(config.backbone)).__module__
assert built == 'vitbackbones.backbones.vit', built
from mmengine.registry import init_default_scope
"""


@pytest.mark.parametrize(
    'order',
    ['mmdet mmseg mmpretrain', 'mmpretrain mmseg mmdet', 'mmseg mmpretrain mmdet'],
)
def test_toolboxes_share_a_process_in_any_order_from_a_config_alone(order, tmp_path):
    """No compiled operators; a name with a scope resolves in whichever toolbox comes first."""
    config = tmp_path / 'config.py'
    config.write_text(
        "custom_imports = dict(imports=['vitbackbones'])\n"
        "backbone = dict(type='vitbackbones.AugViT', arch='ti')\n"
    )
    head = FROM_A_CONFIG.format(config=str(config), scope=order.split()[0])
    steps = []
    for toolbox in order.split():
        steps += [f'import {toolbox}.models', f'init_default_scope("{toolbox}")', BUILD[toolbox]]
    result = run(head + '\n'.join(steps + steps))  # each again, after the others were there
    assert result.returncode == 0, result.stderr
