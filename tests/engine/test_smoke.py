"""What ``--smoke`` makes of a config; that it runs is shown in tests/tools."""

import copy
from pathlib import Path

import pytest
from mmdet.registry import DATASETS
from mmengine.registry import DefaultScope

from vitbackbones.engine import smoke
from vitbackbones.engine.config import read_config
from vitbackbones.engine.data import datasets, loaders
from vitbackbones.engine.smoke import SHORT_SIDE, rewrite, shrink
from vitbackbones.errors import InputError

CONFIGS = sorted((Path(__file__).parents[2] / 'configs').glob('detr_*.py'))


@pytest.mark.parametrize(
    ('size', 'small'),
    [
        ((1333, 800), (266, 160)),
        ((160, 160), (160, 160)),
        ([(1333, 480), (600, 1333)], [(444, 160), (160, 355)]),
        ([(64, 64)], [(64, 64)]),
        (224, 160),
        (96, 96),
        ((384, 600), (160, 250)),
        (None, None),
        (0.5, 0.5),
        ((0.1, 2.0), (0.1, 2.0)),
    ],
)
def test_shrink(size, small):
    assert shrink(size) == small
    assert type(shrink(size)) is type(small)


def sizes(node):
    """All values in ``node`` that are image sizes."""
    pairs = enumerate(node) if isinstance(node, list | tuple) else node.items()
    for key, value in pairs:
        if key in smoke.SIZE_KEYS:
            yield from value if isinstance(value[0], tuple | list) else [value]
        elif isinstance(value, dict | list | tuple):
            yield from sizes(value)


@pytest.mark.parametrize('path', CONFIGS, ids=lambda path: path.stem)
def test_every_config_can_be_rewritten(path, tmp_path):
    config = read_config(path)
    model, wrapper = copy.deepcopy(config.model), copy.deepcopy(config.optim_wrapper)
    config.work_dir = str(tmp_path)
    rewrite(config)
    assert (config.model, config.optim_wrapper) == (model, wrapper)
    found = [size for _, loader in loaders(config) for size in sizes(loader['dataset'])]
    assert found
    assert all(min(size) <= SHORT_SIDE for size in found)
    with DefaultScope.overwrite_default_scope('mmdet'):
        for _, part in datasets(config):
            built = DATASETS.build(part)
            assert len(built.metainfo['classes']) == config.model.bbox_head.num_classes
            assert len(built.get_cat_ids(0)) > 0
            assert built[0]['inputs'].shape[-1] <= 2 * SHORT_SIDE


def test_a_task_without_data(tmp_path):
    config = read_config(CONFIGS[0], {'default_scope': 'mmpose', 'work_dir': str(tmp_path)})
    with pytest.raises(InputError, match="--smoke: there are no embedded data for default_scope='"):
        rewrite(config)


def test_losses_that_are_not_finite_fail():
    class History:
        def __init__(self, *values):
            self.data = (list(values), None)

    class Runner:
        class message_hub:  # noqa: N801 (an attribute of a runner)
            log_scalars = {'train/loss': History(1.0, 2.0), 'train/loss_cls': History(1.0, 1.0)}

    assert smoke._finite_losses(Runner) == [1.0, 2.0]
    Runner.message_hub.log_scalars['train/loss_cls'] = History(1.0, float('nan'))
    with pytest.raises(InputError, match='smoke test: train/loss_cls is not finite in step 2'):
        smoke._finite_losses(Runner)
