"""What ``--smoke`` makes of a config; of every shipped one: tests/test_run_configs.py."""

from types import SimpleNamespace

import pytest
from mmengine.config import Config

from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.configuration.settings import value_at
from vitbackbones.errors import InputError
from vitbackbones.running import smoke

DETR = config_files()['detr_aug_vit_s_coco']


def test_a_task_without_data(tmp_path):
    config = read_config(DETR, {'default_scope': 'mmpose', 'work_dir': str(tmp_path)})
    with pytest.raises(InputError, match="--smoke: there are no built-in data for default_scope='"):
        smoke.as_smoke_test(config)


def test_a_loss_that_is_not_finite_fails():
    losses = {'train/loss': [1.0, 2.0], 'train/loss_cls': [1.0, float('nan')]}
    scalars = {name: SimpleNamespace(data=(each, None)) for name, each in losses.items()}
    runner = SimpleNamespace(message_hub=SimpleNamespace(log_scalars=scalars))
    with pytest.raises(InputError, match='smoke test: train/loss_cls is NaN or infinite in step 2'):
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
        ({'mIoU': float('nan')}, r'is empty \(mIoU=nan\): val_evaluator got no predictions'),
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
    model = smoke.as_smoke_test(config).model
    assert model.test_cfg == {'rcnn': {'score_thr': 0.0, 'max_per_img': 100}}
    assert model.roi_head.bbox_head[0].test_cfg == {'conf_thr': 0.0, 'iou_thr': 0.8}


def test_a_schedule_without_an_end_keeps_that_of_the_long_run():
    schedules = [
        {'type': 'LinearLR', 'end': 20, 'by_epoch': True},
        {'type': 'CosineAnnealingLR', 'begin': 20},
        {'type': 'PolyLR', 'by_epoch': False},
    ]
    config = Config({'train_cfg': {'max_epochs': 300}, 'param_scheduler': schedules})
    short = smoke.shorten(config)
    assert short.train_cfg.max_epochs == 1
    assert [schedule.get('end') for schedule in short.param_scheduler] == [20, 300, None]
    assert smoke.shorten(short, resumed=True).param_scheduler[1].end == 300
    assert 'end' not in config.param_scheduler[1]


def test_a_backbone_for_images_of_one_size_keeps_it():
    loader = {'dataset': {'type': 'ImageNet', 'pipeline': [{'type': 'Resize', 'scale': 224}]}}
    backbone = {'type': 'SwinTransformer', 'img_size': 224}
    config = Config({'model': {'backbone': backbone}, 'train_dataloader': loader})
    config.default_scope = 'mmpretrain'
    scale = 'train_dataloader.dataset.pipeline.0.scale'
    assert value_at(smoke.use_small_batches(config), scale) == 224
    del config.model.backbone.img_size
    assert value_at(smoke.use_small_batches(config), scale) == smoke.SHORT_SIDE
