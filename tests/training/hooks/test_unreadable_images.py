"""Unreadable images are counted, named and replaced up to a limit."""

from queue import SimpleQueue

import cv2
import numpy as np
import pytest
import torch
from mmengine.registry import DATASETS
from torch.multiprocessing import Queue
from torch.utils.data import DataLoader

from vitbackbones.data.loading.image_file import UnreadableImage
from vitbackbones.errors import InputError
from vitbackbones.training.hooks.unreadable_images import ReplacingDataset

from ..toy import ToyData, by_iteration, end_workers, loader, run_toy, toy_config

pytestmark = pytest.mark.compat


@DATASETS.register_module()
class Holes(ToyData):
    """Some of its images cannot be read, or make its pipeline fail."""

    def __init__(self, bad, strips=(), random=()):
        self.bad, self.strips, self.random = bad, strips, random

    def get_data_info(self, i):
        return {'img_path': f'{i}.jpg'}

    def __getitem__(self, i):
        if i in self.bad:
            raise UnreadableImage(f'image file {i}.jpg: truncated.')
        if i in self.strips:
            cv2.resize(np.zeros((1, 1), np.uint8), (0, 1))
        if i in self.random:
            raise ValueError(f'no crop at {np.random.random()}')
        return {'x': torch.tensor([float(i)])}


def config(work_dir, bad, limit, workers, **changes):
    holes = {'type': 'Holes', 'bad': bad}
    holes |= {kind: changes.pop(kind, ()) for kind in ('strips', 'random')}
    data = loader(dataset=holes, num_workers=workers)
    data['sampler'] = changes.pop('train_dataloader', data)['sampler']
    kinds = ('UnreadableImages', 'ExactResume')
    unreadable, exact = ({'type': f'vitbackbones.{kind}Hook'} for kind in kinds)
    hooks = [exact, unreadable | {'limit': limit}]
    return toy_config(work_dir, train_dataloader=data, custom_hooks=hooks, **changes)


@pytest.mark.parametrize(('workers', 'changes'), [(0, by_iteration()), (1, {})])
def test_named_once_and_replaced(tmp_path, capsys, workers, changes):
    """A file that cannot be read, and one that the pipeline fails on."""
    runner = run_toy(config(tmp_path, [2], 0.25, workers, strips=[5], **changes))
    assert runner.iter == runner.max_iters
    lines = capsys.readouterr().out.splitlines()
    (unread,) = [line for line in lines if '2.jpg' in line]
    (strip,) = [line for line in lines if '5.jpg' in line]
    assert 'image file 2.jpg: truncated. Another image replaces it' in unread
    assert 'image file 5.jpg: the pipeline fails (error: OpenCV' in strip
    assert any('replaces it (2 so far, at most 2)' in line for line in lines)


def test_too_many_stop_the_run(tmp_path):
    with pytest.raises(InputError) as stop:
        run_toy(config(tmp_path, [1, 2, 5, 6, 7], 0.25, workers=1))
    assert str(stop.value).startswith('3 images cannot be read, but only 2 are allowed (def')
    assert str(stop.value).endswith('image file 1.jpg, image file 5.jpg, image file 7.jpg')


def test_an_image_is_counted_once_whatever_the_reason_of_each_draw(tmp_path):
    runner = run_toy(config(tmp_path, [], 0.125, workers=0, random=[5]))
    assert runner.iter == runner.max_iters
    assert runner.max_epochs > 1
    assert runner.message_hub.get_info('unreadable_images') == ['image file 5.jpg']


def test_none_is_allowed_in_a_small_data_set(tmp_path):
    with pytest.raises(InputError, match=r'^image file 1\.jpg: truncated\.$'):
        run_toy(config(tmp_path, [1], limit=0.001, workers=0))


def test_one_bad_image_after_the_other_is_an_error_at_once():
    data = DataLoader(ReplacingDataset(Holes(range(8)), Queue()), num_workers=1)
    with pytest.raises(UnreadableImage, match=r'^image file \d\.jpg: truncated\.$'):
        next(iter(data))
    end_workers()


@pytest.mark.parametrize('bug', [KeyError('img'), InputError('a bad mask')])
def test_what_is_no_fault_of_a_picture_is_not_replaced(bug):
    class Buggy(ToyData):
        def __getitem__(self, i):
            raise bug

    reports = SimpleQueue()
    with pytest.raises(type(bug)):
        ReplacingDataset(Buggy(), reports)[0]
    assert reports.empty()
