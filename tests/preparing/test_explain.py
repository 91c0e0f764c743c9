"""What libraries say about a mistake becomes one message that names the key."""

from argparse import Namespace

import pytest
from mmengine.registry import DATASETS, MODELS, TRANSFORMS, VISBACKENDS
from mmengine.runner import IterBasedTrainLoop
from mmengine.visualization import LocalVisBackend

from vitbackbones.errors import InputError
from vitbackbones.preparing.explain import _first_try, explained
from vitbackbones.utils.frames import Call

from ..training.toy import ToyData, ToyModel, loader, run_toy, toy_config

pytestmark = pytest.mark.compat


@pytest.mark.parametrize('kind', [ImportError, RuntimeError])
def test_a_missing_operator_is_no_bug(kind):
    config = Namespace(filename='retinanet.py')
    with pytest.raises(InputError, match='retinanet.py: nms requires mmcv'), explained(config):
        raise kind('nms requires mmcv to be compiled with ops.')


@MODELS.register_module()
class FaultyModel(ToyModel):
    def __init__(self, steps, **options):
        super().__init__(**options)
        self.left = steps

    def forward(self, x, mode):
        if not self.left:
            raise ValueError('a bug')
        self.left -= 1
        return super().forward(x, mode)


@TRANSFORMS.register_module()
class ToyStep:
    def __init__(self, share):
        self.part = 1 / share


@DATASETS.register_module()
class NestedData(ToyData):
    def __init__(self, pipeline):
        self.pipeline = [TRANSFORMS.build(step) for step in pipeline]


@VISBACKENDS.register_module()
class FaultyTracker(LocalVisBackend):
    def add_config(self, config, **options):
        raise ConnectionError('no API key')


def schedule(**options):
    return [{'type': 'MultiStepLR', 'milestones': [1]}, {'type': 'StepLR', **options}]


pipeline = [{'type': 'ToyStep', 'share': 2}, {'type': 'ToyStep', 'share': 0}]
metric = {'type': 'ToyMetric', 'collect_device': 'gpu', 'collect_dir': 'x'}
optimizer = {'type': 'Adam', 'betas': (2, 2)}
CASES = {
    'model: TypeError: ': {'model': {'type': 'ToyModel', 'width': 'x'}},
    'optim_wrapper.optimizer: ValueError: Invalid beta parameter at index 0: 2': {
        'optim_wrapper': {'type': 'OptimWrapper', 'optimizer': optimizer}
    },
    'param_scheduler.1: TypeError: ': {'param_scheduler': schedule()},
    'custom_hooks.0: AssertionError: momentum must be in': {
        'custom_hooks': [{'type': 'mmengine.EMAHook', 'momentum': 5}]
    },
    'default_hooks.timer: KeyError: ': {'default_hooks': {'timer': {'type': 'no_such_hook'}}},
    'train_dataloader: ValueError: batch_size should be a positive': {
        'train_dataloader': loader(batch_size=0)
    },
    'train_dataloader.dataset.pipeline.1: ZeroDivisionError: division by zero': {
        'train_dataloader': loader(dataset={'type': 'NestedData', 'pipeline': pipeline})
    },
    'train_cfg: TypeError: ': {'train_cfg': {'by_epoch': True}},
    'val_evaluator: ValueError: ': {'val_evaluator': metric},
    'log_level: ': {'log_level': 'FOO'},
    'visualizer: ConnectionError: no API key': {
        'visualizer': {'type': 'Visualizer', 'vis_backends': [{'type': 'FaultyTracker'}]}
    },
}


@pytest.mark.parametrize(('message', 'changes'), CASES.items(), ids=list(CASES))
def test_the_key_is_named_and_the_traceback_kept(message, changes, tmp_path):
    config = toy_config(tmp_path, **changes)
    with pytest.raises(InputError) as error, explained(config):
        run_toy(config)
    assert f': {message}' in str(error.value)
    (file,) = tmp_path.glob('error_*.txt')
    assert str(error.value).endswith(f'(the traceback is in {file})')
    assert file.read_text().startswith('Traceback (most recent call last):')


def test_an_error_while_nothing_is_built_stays_what_it_is(tmp_path):
    config = toy_config(tmp_path, model={'type': 'FaultyModel', 'steps': 1})
    with pytest.raises(ValueError, match='a bug') as error, explained(config):
        run_toy(config)
    assert not isinstance(error.value, InputError)
    assert not list(tmp_path.glob('error_*.txt'))


def test_a_first_step_that_fails_is_one_message(tmp_path):
    config = toy_config(tmp_path, model={'type': 'FaultyModel', 'steps': 0})
    said = 'the first step of training fails: ValueError: a bug \\(the traceback is in '
    with pytest.raises(InputError, match=said), explained(config):
        run_toy(config)


def test_a_disk_that_is_full_when_the_log_is_written(tmp_path):
    """Its error does not say where."""
    config = toy_config(tmp_path)
    message = f'{tmp_path} cannot be written \\(No space left on device\\); free some space first'
    with (
        open('/dev/full', 'wb', buffering=0) as log,
        pytest.raises(InputError, match=message),
        explained(config),
    ):
        log.write(b'x')


def test_checkpoints_that_ddp_cannot_follow_are_told_what_they_need(tmp_path):
    with (
        pytest.raises(InputError, match='with_cp and .* may require find_unused_parameters=False'),
        explained(toy_config(tmp_path, find_unused_parameters=True)),
    ):
        raise RuntimeError('Expected to mark a variable ready only once. This error is caused by')


def test_a_type_error_of_the_first_evaluation_is_one_message(tmp_path):
    def try_evaluation():
        raise TypeError('Scale must be a number or tuple of int')

    def call_hook():  # as mmengine does
        try:
            try_evaluation()
        except TypeError as error:
            raise TypeError(f'{error} in a hook') from None

    said = 'the evaluation fails on its first image: TypeError: Scale must be a number'
    with pytest.raises(InputError, match=said), explained(toy_config(tmp_path)):
        call_hook()


def loop_at(iteration):
    loop = IterBasedTrainLoop.__new__(IterBasedTrainLoop)
    loop._iter = iteration
    return loop


@pytest.mark.parametrize(
    ('running', 'said'),
    [
        ([], ''),
        ([('run_iter', {'self': loop_at(0)})], 'the first step of training fails'),
        ([('run_iter', {'self': loop_at(1)})], ''),
        ([('run_iter', {'self': None})], ''),
        ([('run_iter', {})], ''),
        ([('other', {'self': loop_at(0)})], ''),
        ([('try_evaluation', {})], 'the evaluation fails on its first '),
    ],
)
def test_what_has_failed_at_its_first_try(running, said):
    found = _first_try([Call(name, 'x.py', variables) for name, variables in running])
    assert found.startswith(said)
    assert bool(found) == bool(said)
