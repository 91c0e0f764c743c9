"""OpenMMLab's inference functions from a config path and a checkpoint, in any order."""

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
import torch

from vitbackbones.errors import InputError

from .conftest import SIZES

pytestmark = pytest.mark.compat
SCRIPT = Path(__file__).with_name('script.py')
BUILD = ('build_seg', 'build_det', 'build_cls', 'build_inferencers')
USE = ('use_seg', 'use_det', 'use_cls', 'use_inferencers')
ORDERS = {
    # all are built before any is used: what was built last is right for one of them only
    'built first': (*BUILD, *USE),
    # each is used at once; toolboxes are imported after the project has been
    'one by one': [step for pair in reversed([*zip(BUILD, USE, strict=True)]) for step in pair],
}
# The original mmseg and mmdet do not import beside mmcv-lite, unless this project came first.
IMPORTED = (
    'import runpy, sys, vitbackbones;'
    'sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name="__main__")'
)
DEVICES = ['cpu', 'cuda'] if torch.cuda.is_available() else ['cpu']


def run(folder, device, steps):
    """Run the script somewhere else and return its answers."""
    first = ['-c', IMPORTED] if 'mmcv-lite' in packages_distributions()['mmcv'] else []
    command = [sys.executable, '-W', 'ignore', *first, SCRIPT, folder, device, *steps]
    environment = os.environ | {'OMP_NUM_THREADS': '1', 'MPLBACKEND': 'agg'}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return dict(np.load(folder / f'{"-".join(steps)}.npz'))


@pytest.fixture(scope='module', params=DEVICES)
def answers(request, folder):
    return {name: run(folder, request.param, steps) for name, steps in ORDERS.items()}


def test_the_order_of_calls_changes_nothing(answers):
    first = answers['built first']
    for other in answers.values():
        assert other.keys() == first.keys()
        for name, value in other.items():
            np.testing.assert_allclose(value, first[name], atol=1e-4, err_msg=name)


@pytest.mark.parametrize('task', ['seg', 'det', 'cls', 'segs', 'dets', 'clss'])
def test_path_array_list_and_folder_mean_the_same(answers, task):
    found = answers['built first']
    kinds = {name.split()[1] for name in found if name.split()[0] == task} - {'picture'}
    assert kinds >= {'array', 'path'}
    for kind in kinds:
        for i in range(len(SIZES)):
            value = found.get(f'{task} {kind} {i}')
            if value is not None:
                reference = found[f'{task[:3]}s paths {i}']  # the inferencer's
                np.testing.assert_allclose(value, reference, atol=1e-3, err_msg=f'{kind} {i}')


def test_what_they_answer(answers, folder):
    found = answers['built first']
    for i, size in enumerate(SIZES):
        mask, boxes, scores = (found[f'{task}s paths {i}'] for task in ('seg', 'det', 'cls'))
        assert mask.shape == size
        assert set(np.unique(mask)) <= {0, 1, 2}
        assert boxes.shape == (5, 5)
        assert (boxes[:, :4] >= 0).all()
        assert (boxes[:, :4].max(0) <= (*size[::-1], *size[::-1])).all()
        assert scores.shape == (7,)
        assert scores.sum() == pytest.approx(1, abs=1e-4)
    for name in ('seg picture 0', 'segs picture 0', 'dets picture 0'):
        assert found[name].shape == (*SIZES[0], 3)
    assert len(list((folder / 'drawn').iterdir())) == len(SIZES)


def test_toolboxes_that_were_imported_first_have_mmcvs_operators(answers):
    for found in answers.values():
        np.testing.assert_allclose(found['nms 0'], [[1, 0, 10, 10, 0.9]], rtol=1e-6)
        assert found['mask2former 0']


@pytest.fixture
def other_classes(folder, tmp_path):
    """``other_classes(task)`` is a checkpoint of five classes."""

    def make(task):
        checkpoint = torch.load(folder / f'tiny_{task}.pth', weights_only=True)
        checkpoint['meta']['dataset_meta']['classes'] = tuple('vwxyz')
        torch.save(checkpoint, tmp_path / 'other.pth')
        return str(folder / f'tiny_{task}.py'), str(tmp_path / 'other.pth')

    return make


def test_a_checkpoint_of_other_classes_is_refused(other_classes):
    from mmdet.apis import DetInferencer, init_detector
    from mmpretrain import ImageClassificationInferencer
    from mmseg.apis import MMSegInferencer, init_model

    for function, task in (
        (init_detector, 'det'),
        (DetInferencer, 'det'),
        (init_model, 'seg'),
        (MMSegInferencer, 'seg'),
        (ImageClassificationInferencer, 'cls'),
    ):
        with pytest.raises(InputError, match=r'names 5 classes \(v, w, x, y'):
            function(*other_classes(task), device='cpu')


def test_a_file_of_weights_alone(folder, tmp_path):
    from mmdet.apis import DetInferencer
    from mmseg.apis import MMSegInferencer, inference_model, init_model

    for task, inferencer in (('det', DetInferencer), ('seg', MMSegInferencer)):
        state = torch.load(folder / f'tiny_{task}.pth', weights_only=True)['state_dict']
        torch.save(state, tmp_path / f'{task}.pth')
        config, weights = str(folder / f'tiny_{task}.py'), str(tmp_path / f'{task}.pth')
        model = inferencer(config, weights, device='cpu').model
        assert tuple(model.dataset_meta['classes']) == ('circle', 'square', 'triangle')
        assert all(torch.equal(model.state_dict()[key], value) for key, value in state.items())
    model = init_model(config, weights, device='cpu')
    result = inference_model(model, np.zeros((40, 50, 3), np.uint8))
    assert result.pred_sem_seg.data.shape == (1, 40, 50)
