"""What ``--smoke`` makes of a config; of every shipped one: tests/test_run_configs.py."""

from types import SimpleNamespace

import numpy as np
import pytest
from mmengine.registry import DATASETS, DefaultScope

from vitbackbones.commands import smoke
from vitbackbones.commands.smoke import SHORT_SIDE, STEPS_TO_SMOKE, shrink
from vitbackbones.configuration.data_paths import datasets
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.configuration.steps import take_steps
from vitbackbones.errors import InputError

from .conftest import TINY_SEG

DETR = config_files()['detr_aug_vit_s_coco']


@pytest.mark.parametrize(
    ('size', 'small'),
    [([(1333, 480), (600, 1333)], [(444, 160), (160, 355)]), (224, 160), ((96, 96), (96, 96))],
)
def test_shrink(size, small):
    assert shrink(size) == small


def test_segmentation_with_any_number_of_classes(tmp_path):
    """Of another layout, with suffixes, a list of files, and a size of the model's own."""
    classes, config = 150, read_config(TINY_SEG, {'work_dir': str(tmp_path)})
    names = tuple(f'class {i}' for i in range(classes))
    config.model.decode_head.num_classes = classes
    config.model.data_preprocessor.size = config.model.test_cfg.crop_size = (512, 512)
    for _, part in datasets(config):
        part.update(metainfo={'classes': names}, reduce_zero_label=False)
        part.update(img_suffix='.tif', seg_map_suffix='_labels.tif', ann_file='list.txt')
        part.pipeline = [
            {**step, 'num_classes': classes} if step['type'].endswith('LoadMask') else step
            for step in part.pipeline
        ]
    config = take_steps(config, STEPS_TO_SMOKE, None)
    assert config.model.data_preprocessor.size == (SHORT_SIDE, SHORT_SIDE)
    assert config.model.test_cfg.crop_size == (SHORT_SIDE, SHORT_SIDE)
    with DefaultScope.overwrite_default_scope('mmseg'):
        for _, part in datasets(config):
            built = DATASETS.build(part)
            assert built.metainfo['classes'] == names
            labels = set(np.unique(built[0]['data_samples'].gt_sem_seg.data).tolist()) - {255}
            assert 2 <= len(labels) <= 4


def test_a_task_without_data(tmp_path):
    config = read_config(DETR, {'default_scope': 'mmpose', 'work_dir': str(tmp_path)})
    with pytest.raises(InputError, match="--smoke: there are no embedded data for default_scope='"):
        take_steps(config, STEPS_TO_SMOKE, None)


def test_a_loss_that_is_not_finite_fails():
    losses = {'train/loss': [1.0, 2.0], 'train/loss_cls': [1.0, float('nan')]}
    scalars = {name: SimpleNamespace(data=(each, None)) for name, each in losses.items()}
    runner = SimpleNamespace(message_hub=SimpleNamespace(log_scalars=scalars))
    with pytest.raises(InputError, match='smoke test: train/loss_cls is not finite in step 2'):
        smoke._finite_losses(runner)


def evaluated(**metrics):
    """A runner that has evaluated."""
    scalars = {
        f'val/{name}': SimpleNamespace(current=lambda value=value: value)
        for name, value in metrics.items()
    }
    return SimpleNamespace(val_loop=object(), message_hub=SimpleNamespace(log_scalars=scalars))


@pytest.mark.parametrize(
    ('metrics', 'message'),
    [
        ({'time': 3.0}, r'is empty \(no metric\)'),
        ({'coco/bbox_mAP': -1.0, 'coco/bbox_mAP_s': -1.0}, r'is empty \(coco/bbox_mAP=-1, coco/'),
        ({'mIoU': float('nan')}, r'is empty \(mIoU=nan\): no prediction reached val_evaluator'),
    ],
)
def test_an_evaluation_of_nothing_fails(metrics, message):
    with pytest.raises(InputError, match=message):
        smoke._first_metric(evaluated(**metrics))


def test_an_evaluation_without_small_boxes_passes():
    """Of which COCO's metric is -1; and a model may find nothing right."""
    runner = evaluated(**{'coco/bbox_mAP': 0.0, 'coco/bbox_mAP_s': -1.0})
    assert smoke._first_metric(runner) == 'coco/bbox_mAP 0.000'


def test_every_threshold_is_lowered(tmp_path):
    config = read_config(DETR, {'work_dir': str(tmp_path)})
    config.model.test_cfg = {'rcnn': {'score_thr': 0.5, 'max_per_img': 100}}
    config.model.roi_head = {'bbox_head': [{'test_cfg': {'conf_thr': 0.3, 'iou_thr': 0.8}}]}
    model = take_steps(config, STEPS_TO_SMOKE, None).model
    assert model.test_cfg == {'rcnn': {'score_thr': 0.0, 'max_per_img': 100}}
    assert model.roi_head.bbox_head[0].test_cfg == {'conf_thr': 0.0, 'iou_thr': 0.8}
