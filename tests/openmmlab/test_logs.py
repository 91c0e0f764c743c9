"""Where the package's own log goes, and what a data worker's error says."""

import logging

import pytest
from mmengine.logging import MMLogger, print_log
from pycocotools.coco import COCO
from torch._utils import ExceptionWrapper

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.logs import log_with_runner

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


@pytest.mark.parametrize(
    ('level', 'handlers', 'shown'),
    [
        (logging.NOTSET, [], ['3 of 4 tensors filled', 'broken']),
        (logging.ERROR, [], ['broken']),
        (logging.NOTSET, [logging.NullHandler()], []),
    ],
)
def test_messages_go_to_the_runners_log_unless_the_user_chose_otherwise(
    log, level, handlers, shown
):
    runners, messages = logging.Logger('run'), []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())
    runners.addHandler(handler)
    log.setLevel(level)
    log.handlers += handlers
    log_with_runner(lambda: runners)
    log.debug('of no interest')
    log.info('%d of %d tensors filled', 3, 4)
    log.error('broken')
    assert messages == shown


def print_something():
    """What two libraries print."""
    COCO().createIndex()
    print_log('Loads a checkpoint')
    print_log('of no interest', level=logging.DEBUG)


def test_what_libraries_print_is_in_the_log_of_a_run(tmp_path, capsys):
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


def test_without_a_run_libraries_print_in_the_first_process(capsys, monkeypatch):
    MMLogger.get_instance('no run')
    print_something()
    assert capsys.readouterr().out == 'creating index...\nindex created!\nLoads a checkpoint\n'
    monkeypatch.setenv('RANK', '1')
    print_something()
    assert capsys.readouterr().out == ''


def worker_error(error):
    """What reaches the main process of an error that a data worker raised."""
    try:
        raise error
    except type(error):
        wrapper = ExceptionWrapper(where='in DataLoader worker process 0')
    with pytest.raises(type(error)) as caught:
        wrapper.reraise()
    return str(caught.value)


def test_an_input_error_of_a_worker_keeps_its_message_another_its_traceback():
    assert worker_error(InputError('x.py: bad key InputError: 3')) == 'x.py: bad key InputError: 3'
    text = worker_error(RuntimeError('a bug'))
    assert text.startswith('Caught RuntimeError in DataLoader worker process 0.\n')
    assert text.rstrip().endswith('RuntimeError: a bug')
