"""Where the package's own log goes, and what a data worker's error says."""

import logging
import warnings

import pytest
from mmengine.logging import MMLogger, print_log
from mmengine.optim.optimizer import default_constructor
from pycocotools.coco import COCO
from torch import nn
from torch._utils import ExceptionWrapper

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.logs import (
    FALSE_ALARMS,
    RunnersLog,
    ignore_false_alarms,
    leave_out_shared_layers,
    log_with_runner,
    silenced,
)

pytestmark = pytest.mark.compat


@pytest.fixture
def log(monkeypatch):
    """The package's logger as a user finds it without mmengine."""
    log = logging.getLogger('vitbackbones')
    monkeypatch.setattr(log, 'handlers', [])
    monkeypatch.setattr(log, 'propagate', True)
    level = log.level
    log.setLevel(logging.NOTSET)
    yield log
    log.setLevel(level)


@pytest.fixture
def runners():
    """The log of a runner, with what it was given."""
    log = logging.Logger('run')
    log.records = []
    handler = logging.Handler()
    handler.emit = log.records.append
    log.addHandler(handler)
    return log


def test_information_goes_to_the_runners_log(log, runners):
    log_with_runner(lambda: runners)
    log.info('%d of %d tensors filled', 3, 4)
    log.debug('of no interest')
    assert [record.getMessage() for record in runners.records] == ['3 of 4 tensors filled']


def test_a_level_that_the_user_chose_stays(log, runners):
    log.setLevel(logging.ERROR)
    log_with_runner(lambda: runners)
    log.warning('of no interest')
    assert not runners.records


def test_handlers_of_the_user_stay_alone(log, runners):
    own = logging.NullHandler()
    log.addHandler(own)
    log_with_runner(lambda: runners)
    assert log.handlers == [own]
    assert not any(isinstance(handler, RunnersLog) for handler in log.handlers)


@pytest.fixture
def print_something():
    """What two libraries print."""

    def call():
        COCO().createIndex()
        print_log('Loads a checkpoint')
        print_log('of no interest', level=logging.DEBUG)

    return call


def test_what_libraries_print_is_in_the_log_of_a_run(tmp_path, capsys, print_something):
    log = MMLogger.get_instance('a run', log_file=str(tmp_path / 'run.log'), log_level='INFO')
    log.handlers = [each for each in log.handlers if isinstance(each, logging.FileHandler)]
    print_something()
    assert capsys.readouterr().out == ''
    lines = (tmp_path / 'run.log').read_text().splitlines()
    assert [line.rpartition(' - ')[2] for line in lines] == [
        'creating index...',
        'index created!',
        'Loads a checkpoint',
    ]


def test_without_a_run_libraries_print_in_the_first_process(capsys, print_something, monkeypatch):
    MMLogger.get_instance('no run')
    print_something()
    assert capsys.readouterr().out == 'creating index...\nindex created!\nLoads a checkpoint\n'
    monkeypatch.setenv('RANK', '1')
    print_something()
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize(('message', 'module'), FALSE_ALARMS)
def test_false_alarms_are_ignored_where_they_come_from(message, module):
    def warn(module):
        warnings.warn_explicit(f'{message} and so on', UserWarning, 'f.py', 1, module)

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter('always')
        ignore_false_alarms(warnings.filterwarnings)
        warn(f'{module}.models')
        assert shown == []
        warn('users_own')
        warnings.warn_explicit('another', UserWarning, 'f.py', 1, module)
    assert [str(each.message) for each in shown] == [f'{message} and so on', 'another']


def worker_error(error):
    """What reaches the main process of an error that a data worker raised."""
    try:
        raise error
    except type(error):
        wrapper = ExceptionWrapper(where='in DataLoader worker process 0')
    with pytest.raises(type(error)) as caught:
        wrapper.reraise()
    return str(caught.value)


def test_an_input_error_of_a_worker_keeps_its_message():
    class OwnError(InputError):
        """One of another name."""

    for kind in (InputError, OwnError):
        assert worker_error(kind('x.py: bad key InputError: 3')) == 'x.py: bad key InputError: 3'


def test_another_error_of_a_worker_keeps_its_traceback():
    text = worker_error(RuntimeError('a bug'))
    assert text.startswith('Caught RuntimeError in DataLoader worker process 0.\n')
    assert text.rstrip().endswith('RuntimeError: a bug')


def test_a_message_is_taken_as_it_is():
    assert str(InputError('bad key InputError: in x.py ')) == 'bad key InputError: in x.py'


def test_layers_that_are_shared_on_purpose_are_not_reported(monkeypatch):
    said = []
    record = leave_out_shared_layers(lambda message, *rest: said.append(message))
    monkeypatch.setattr(default_constructor, 'print_log', record)
    layer = nn.Linear(2, 2)
    frozen = nn.Linear(2, 2).requires_grad_(False)
    build = default_constructor.DefaultOptimWrapperConstructor(
        {'optimizer': {'type': 'SGD', 'lr': 1}}, {'bypass_duplicate': True}
    )
    wrapper = build(nn.Sequential(layer, frozen, layer))
    assert len(wrapper.optimizer.param_groups) == 2
    assert said == [
        f'1.{name} is skipped since its requires_grad=False' for name in ('weight', 'bias')
    ]


def test_a_logger_that_was_silenced_speaks_again():
    log = MMLogger.get_instance('silenced')
    with silenced():
        assert not log.isEnabledFor(logging.INFO)
    assert log.isEnabledFor(logging.INFO)
