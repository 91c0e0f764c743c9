"""Predictions in several scales, and in tiles; the rest: test_end_to_end.py."""

import pytest
import torch
from mmengine.config import Config

from ..openmmlab.conftest import build
from .conftest import TINY_SEG
from .test_messages import refused

SCALES = """
_base_ = '{base}'
tta_model = dict(type='SegTTAModel')
tta_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(
        type='TestTimeAug',
        transforms=[
            [dict(type='Resize', scale=(4 * s, s), keep_ratio=True) for s in (48, 64)],
            [dict(type='RandomFlip', prob=0.0), dict(type='RandomFlip', prob=1.0)],
            [dict(type='vitbackbones.LoadMask', num_classes=4)],
            [dict(type='PackSegInputs')],
        ],
    ),
]
"""


def test_several_scales_need_a_pipeline_and_are_merged(run, tool, data, tmp_path):
    (tmp_path / 'scales.py').write_text(SCALES.format(base=TINY_SEG))
    torch.save({'state_dict': {}, 'meta': {}}, tmp_path / 'empty.pth')
    given = ('empty.pth', '--data-root', data, '--tta')
    said = 'tiny_seg.py has no tta_pipeline and no tta_model, which define the sizes and flips'
    refused(tool('test', TINY_SEG, *given), said)
    run('train', TINY_SEG, '--data-root', data, '--cfg-options', 'train_cfg.max_iters=1')
    assert 'mIoU' in run('test', 'scales.py', 'work_dirs/tiny_seg', *given[1:]).out


@pytest.mark.parametrize('config', [TINY_SEG, TINY_SEG.with_name('tiny_mask_rcnn.py')])
def test_one_tile_changes_nothing_and_several_are_measured(run, tool, data, config):
    torch.save({'state_dict': build(Config.fromfile(config)).state_dict()}, 'random.pth')
    given = 'test', config, 'random.pth', '--data-root', data
    plain = run(*given).out.splitlines()
    metrics = [line for line in plain if 'mIoU ' in line or 'mAP' in line]
    assert metrics
    assert {*metrics} <= {*run(*given, '--tiles', '999').out.splitlines()}
    several = run(*given, '--tiles', '40', '--merge', 'nmm').out
    assert all(line.split()[0] in several for line in metrics)
    refused(tool(*given, '--tiles', '40', '--overlap', '1'), 'the overlap from 0 to 0.9')


def test_a_model_is_tested_with_the_size_of_its_training(run, data):
    run(
        'train',
        TINY_SEG,
        '--data-root',
        data,
        '--size',
        96,
        '--cfg-options',
        'train_cfg.max_iters=1',
    )
    given = 'work_dirs/tiny_seg', '--data-root', data
    said = '--size 96, as in the training: '
    assert said in run('test', TINY_SEG, *given).out
    assert said in run('export', TINY_SEG, given[0], '--to', 'onnx', '--out', 'a.onnx').out
    inputs = data / 'images' / 'val'
    runtime = '--runtime', 'torch', '--out'
    assert said in run('predict', TINY_SEG, given[0], inputs, *runtime, 'a').out
    assert '--size 64: ' in run('test', TINY_SEG, *given, '--size', 64).out
    assert '--size' not in run('test', 'work_dirs/tiny_seg/tiny_seg.py', *given).out
