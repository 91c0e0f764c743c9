"""The pipelines of other packages do what ours do, so that a comparison says something."""

import sys

import cv2
import numpy as np
import pytest
import torch

from vitbackbones.benchmarking import pipelines
from vitbackbones.benchmarking.loading import seconds_by_part, seed
from vitbackbones.benchmarking.suites import data
from vitbackbones.errors import InputError

from ..datasets.natural import FARTHEST, photograph

pytestmark = pytest.mark.compat


@pytest.fixture(scope='module')
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp('pictures')
    for i in range(2):
        cv2.imwrite(str(folder / f'{i}.jpg'), photograph(300, 400, i))
    files = data.pictures(str(folder), 8)
    return [data.annotated(file, i, folder) for i, file in enumerate(files)]


def inputs(pipeline, samples, number=0):
    """The images of a batch."""
    seed(number)
    loaded = []
    for sample in samples:
        sample = dict(sample)
        for step in pipeline.steps.values():
            sample = step(sample)
        loaded.append(sample)
    return pipeline.collate(loaded)['inputs']


@pytest.mark.parametrize(
    ('config', 'scope', 'limit'),
    [
        ('cls_deit_s_imagenet', 'mmpretrain', FARTHEST),
        ('detr_pvt_s_coco', 'mmdet', 0),
        ('setr_mla_sret_s_ade20k', 'mmseg', 0),
    ],
)
def test_ours_and_the_toolboxs_own_make_the_same_pictures(config, scope, limit, samples):
    """But for the rounding of ``RandomResizedCrop``, and before anything is erased."""
    ours, theirs = (pipelines.of_config(config, scope, own=own) for own in (True, False))
    packages = {type(step).__module__.partition('.')[0] for step in theirs.steps.values()}
    assert packages <= {'mmcv', scope}
    for pipeline in (ours, theirs):
        pipeline.steps.pop('augment', None)  # may enlarge a rounding
        pipeline.steps.pop('erase', None)
    for number in range(3):
        images = inputs(ours, samples, number), inputs(theirs, samples, number)
        for a, b in zip(*images, strict=True):
            assert a.dtype == b.dtype == torch.uint8
            assert np.abs(a.numpy().astype(int) - b.numpy()).max() <= limit


@pytest.mark.parametrize('task', data.TASKS)
def test_every_pipeline_runs(task, samples):
    pytest.importorskip('timm.data')
    pytest.importorskip('torchvision.transforms.v2')
    for build in data.TASKS[task].pipelines.values():
        assert seconds_by_part(build(), samples)['whole'] > 0


def test_a_missing_package_is_one_message(monkeypatch):
    monkeypatch.setitem(sys.modules, 'timm.data', None)
    with pytest.raises(InputError, match='pip install timm'):
        pipelines.of_timm()


def test_an_odd_number_of_pictures_is_made_even(tmp_path):
    for name in 'abc':
        (tmp_path / f'{name}.jpg').touch()
    names = [file.stem for file in data.pictures(str(tmp_path), 8)]
    assert names == ['a', 'b', 'c', 'a']
