"""What a run starts from by ``load_from``: counted, named, refused where next to nothing fits."""

from collections import OrderedDict
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.training.hooks.starting_checkpoint import StartingCheckpointHook
from vitbackbones.weights.trained import trained_backbones


def model(width=4, classes=3):
    torch.manual_seed(width)
    parts = {'backbone': nn.Linear(2, width), 'neck': nn.Linear(width, 5)}
    return nn.ModuleDict(OrderedDict(**parts, bbox_head=nn.Linear(5, classes)))


def start(network, checkpoint, path='a.pth'):
    """Return the level and the text of each line that the run logs."""
    said = []
    logger = SimpleNamespace(
        info=lambda text: said.append(('info', text)),
        warning=lambda text: said.append(('warning', text)),
    )
    runner = SimpleNamespace(model=network, logger=logger)
    StartingCheckpointHook(path).after_load_checkpoint(runner, checkpoint)
    return said


def test_what_fits_is_one_line():
    said = start(model(), {'state_dict': model().state_dict()})
    assert said == [('info', 'load_from a.pth: 6 of 6 tensors are loaded')]


def test_a_head_of_other_classes_is_named_with_both_sizes():
    ((level, text),) = start(model(classes=2), {'state_dict': model().state_dict()})
    assert level == 'info'
    assert '4 of 6 tensors are loaded; 2 of another size: bbox_head.weight (3, 5) for (2,' in text
    assert text.endswith(', ...')
    assert 'bbox_head.bias' not in text  # one is enough


def test_missing_and_left_over_tensors_are_counted():
    state = model().state_dict()
    del state['neck.bias']
    ((level, text),) = start(model(), {'state_dict': state | {'rpn.weight': torch.ones(1)}})
    assert level == 'warning'
    assert '1 not in the file: neck.bias' in text
    assert '1 only in the file: rpn.weight' in text


@pytest.mark.parametrize(
    'state',
    [
        model(width=7).state_dict(),  # another backbone
        {f'transformer.{key}': x for key, x in model().state_dict().items()},
        {key.removeprefix('backbone.'): x for key, x in model().state_dict().items()},
    ],
)
def test_a_file_that_fills_no_backbone_is_refused(state):
    with pytest.raises(InputError, match=r'load_from a\.pth: is not a checkpoint of this model'):
        start(model(), {'state_dict': state})


def test_an_average_in_the_file_is_what_the_run_starts_from():
    average = model().state_dict()
    last = {key: 0 * value for key, value in average.items()}
    checkpoint = {'model': last, 'model_ema': average}
    start(model(), checkpoint)
    assert all(torch.equal(checkpoint['state_dict'][key], average[key]) for key in average)


def test_values_that_are_not_finite_are_refused():
    state = model().state_dict()
    state['neck.bias'].fill_(float('nan'))
    with pytest.raises(InputError, match='NaN or infinite values'):
        start(model(), {'state_dict': state})


def test_weights_of_the_package_that_an_inherited_config_does_not_fit_are_left_out():
    """In 1.0, quick_detector started from random weights, with any backbone."""
    network = model()
    given = {'state_dict': model(width=9).state_dict()}
    path = str(trained_backbones()['quick_mosaics'])
    ((level, text),) = start(network, given, path)
    assert (level, text) == (
        'warning',
        'load_from quick_mosaics: is for another backbone, so not used',
    )
    assert torch.equal(given['state_dict']['neck.bias'], network.state_dict()['neck.bias'])
