"""Event files, read as TensorBoard reads them."""

import sys

import pytest

from vitbackbones.errors import InputError
from vitbackbones.tracking.tensorboard import FOLDER, TensorBoard

from .conftest import config, train


def read(work_dir):
    pytest.importorskip('tensorboard')
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(work_dir / FOLDER))
    events.Reload()
    return events


def steps(events, name):
    return [event.step for event in events.Scalars(name)]


def test_a_resumed_run_goes_on_with_every_step_once(followed):
    events = read(followed)
    assert steps(events, 'loss') == steps(events, 'lr') == [*range(1, 13)]
    assert steps(events, 'toy/error') == [4, 8, 12]  # iterations, as those of the loss
    assert len([*(followed / FOLDER).iterdir()]) == 2


def test_the_config_is_shown_as_it_is(followed):
    (event, *_) = read(followed).Tensors('config/text_summary')
    (text,) = event.tensor_proto.string_val
    assert "    model = dict(type='ToyModel')" in text.decode().splitlines()


def test_a_run_that_begins_again_hides_the_earlier_one(tmp_path):
    pytest.importorskip('tensorboard')
    train(config(tmp_path, trackers=['tensorboard']))
    shorter = {'by_epoch': True, 'max_epochs': 1, 'val_interval': 1}
    train(config(tmp_path, trackers=['tensorboard'], train_cfg=shorter))
    assert steps(read(tmp_path), 'loss') == [1, 2, 3, 4]


def test_a_missing_package_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, 'tensorboard', None)
    with pytest.raises(InputError, match='install it: pip install tensorboard$'):
        TensorBoard.require()
