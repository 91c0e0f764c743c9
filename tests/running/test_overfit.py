"""``train --overfit N``: a few pictures by heart, or what is broken."""

import json
from types import SimpleNamespace

import pytest

from vitbackbones.configuration.read import read_config
from vitbackbones.running import overfit
from vitbackbones.running.request import TrainRequest

from ..commands.conftest import TINY
from ..commands.test_messages import refused

pytestmark = pytest.mark.compat


@pytest.fixture
def short(monkeypatch):
    for name, value in {'LEAST': 4, 'SECONDS': 0, 'EVERY': 2}.items():
        monkeypatch.setattr(overfit, name, value)


def test_pictures_that_are_not_learned_name_what_is_broken(tool, data, short, tmp_path):
    result = tool('train', TINY, '--scratch', '--data-root', data, '--overfit', 3)
    said = refused(result, 'on the 3 images after 4 steps, not above 0.9. The broken link:')
    assert '\n  schedule: the run has only 8 steps, and an epoch has 4' in said
    assert 'suspect: schedule: ' in result.out
    folder = tmp_path / 'work_dirs' / 'tiny_detr' / 'overfit'
    assert len(json.loads((folder / 'few.json').read_text())['images']) == 3
    assert not [*folder.glob('*.pth')]


def test_the_start_of_the_config_is_used_unless_another_is_asked_for(tool, data, short):
    given = ('train', 'quick_detector', '--data-root', data, '--overfit', 2)
    assert 'Load checkpoint from quick_mosaics' in tool(*given).out
    for other in (['--scratch'], ['--pretrained', 'sret_quick']):
        assert 'quick_mosaics' not in tool(*given, *other).out


def test_annotations_are_resized_with_their_pictures(data, tmp_path):
    config = read_config('quick_detector')
    config.work_dir = str(tmp_path)
    config.train_dataloader.dataset.data_root = str(data)
    few = overfit.use_few(config, 2)
    for loader, end in ((few.train_dataloader, 1), (few.val_dataloader, 2)):
        names = [step['type'].rpartition('.')[2] for step in loader.dataset.pipeline]
        assert names[0].startswith('LoadImage')
        assert names.index('LoadAnnotations') == end
        assert names[-1] == 'PackDetInputs'


def test_a_dataset_that_mixes_pictures_is_replaced_by_that_of_single_ones(data, tmp_path):
    config = read_config('quick_instance_copy_paste')
    config.work_dir = str(tmp_path)
    config.train_dataloader.dataset.dataset.data_root = str(data)
    few = overfit.use_few(config, 2)
    for loader in (few.train_dataloader, few.val_dataloader):
        assert loader.dataset.type == 'CocoDataset'
        assert 'dataset' not in loader.dataset
        assert 'CopyPaste' not in str(loader.dataset.pipeline)


@pytest.mark.parametrize(('name', 'rate'), [('quick_detector', 1), ('quick_segmentor', 1 / 8)])
def test_a_segmentor_sees_one_picture_at_a_time_at_a_lower_rate(name, rate, data, tmp_path):
    config = read_config(name)
    config.work_dir = str(tmp_path)
    config.train_dataloader.dataset.data_root = str(data)
    config.train_dataloader.batch_size = 8
    few = overfit.use_few(config, 8)
    (warm_up,) = few.param_scheduler
    assert warm_up['end_factor'] == few.train_dataloader.batch_size / 8 == rate


@pytest.mark.parametrize(
    ('name', 'metric'),
    [
        ('quick_detector', 'coco/bbox_mAP'),
        ('quick_instance', 'coco/segm_mAP_50'),
        ('mask_rcnn_pvt_s_shapes', 'coco/segm_mAP_50'),
        ('quick_segmentor', 'mIoU'),
        ('cls_deit_ti_shapes', ''),
    ],
)
def test_masks_are_judged_where_they_are_evaluated(name, metric):
    assert overfit._goal_of(read_config(name)).metric == metric


def test_pictures_that_are_learned_end_the_run(run, data, short, monkeypatch):
    monkeypatch.setitem(overfit.GOALS, 'mmdet', overfit.Goal('coco/bbox_mAP', -1.0))
    said = run('train', TINY, '--scratch', '--data-root', data, '--overfit', 3).out
    assert 'ends when coco/bbox_mAP is above -1, or after a minute and ' in said
    assert 'after 2 steps: images, annotations and settings fit together' in said


def test_a_training_that_ends_near_zero_names_the_command(run, tool, data, monkeypatch):
    monkeypatch.setattr(overfit, 'SHORT', 0)
    changes = ('--cfg-options', 'default_hooks.logger.interval=2')
    given = ('train', TINY, '--scratch', '--data-root', data, *changes)
    *_, last = run(*given).out.splitlines()
    assert last.startswith('coco/bbox_mAP is only 0.0')
    assert last.endswith(f'--data-root {data} {" ".join(changes)} --scratch --overfit 8')
    refused(tool(*given, '--overfit', 8, '--track', 'page'), '--overfit: --track has no effect')


def test_the_command_keeps_what_the_model_starts_from(monkeypatch):
    zero = SimpleNamespace(current=lambda: 0.0)
    hub = SimpleNamespace(log_scalars={'val/mIoU': zero})
    runner = SimpleNamespace(cfg={'default_scope': 'mmseg'}, message_hub=hub, iter=1000)
    request = TrainRequest(
        'quick_segmentor',
        data_root='street',
        masks='m/{}.png',
        work_dir='aside',
        pretrained='own.pth',
        freeze='backbone',
    )
    said = overfit.hint(runner, request)
    assert said.endswith(
        " train quick_segmentor --data-root street --masks 'm/{}.png' --pretrained own.pth "
        '--freeze backbone --overfit 8'
    )
    runner.cfg['custom_imports'] = {'imports': ['vitbackbones', 'my_backbone']}
    monkeypatch.setenv('PYTHONPATH', 'my code')
    said = overfit.hint(runner, request)
    assert "To find the cause: PYTHONPATH='my code' " in said
    runner.iter = 32  # of an epoch of a few pictures
    assert overfit.hint(runner, request) == ''


@pytest.mark.parametrize(
    ('losses', 'said'),
    [
        ([2.0, 1.9, float('nan')], 'learning rate: the loss became NaN'),
        ([2.0] * 30, 'learning rate, or frozen too much: the loss only went from 2 to 2'),
        ([2.0] * 10 + [0.5] * 10, 'none found: the loss fell from 2 to 0.5'),
    ],
)
def test_what_losses_tell(losses, said):
    assert overfit._by_losses(losses).startswith(said)
