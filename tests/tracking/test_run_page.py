"""The page of a run, from what the run has left."""

import json
import os
import re
from datetime import datetime

import pytest
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.tracking import record, run
from vitbackbones.tracking.record import TEXTS
from vitbackbones.tracking.run_page import NAME, SHOWN, write_run_page

from ..reporting.test_page import EVIL, Reader
from ..training.toy import run_toy, toy_config
from .conftest import config, train

PAGE = {'type': 'vitbackbones.RunPageHook'}

pytestmark = pytest.mark.compat


def texts(page):
    return [text.strip() for text in Reader(page.read_text()).texts if text.strip()]


def after(found, name):
    """What stands beside ``name`` in a table of facts."""
    return found[found.index(name) + 1]


def add_pictures(work_dir, *epochs, name='00000_a'):
    for epoch in epochs:
        folder = work_dir / 'pictures' / f'epoch_{epoch}'
        folder.mkdir(parents=True)
        Image.new('RGB', (900, 300), (epoch, 0, 0)).save(folder / f'{name}.jpg')


@pytest.fixture
def work_dir(tmp_path):
    train(config(tmp_path / 'run', trackers=[]))
    return tmp_path / 'run'


def test_a_page_holds_all_of_a_run(work_dir):
    add_pictures(work_dir, 1, 2, 3)
    found = texts(write_run_page(work_dir, work_dir / NAME))
    assert after(found, 'status') == 'finished'
    assert after(found, 'logged') == 'up to iteration 12'
    assert re.fullmatch(r'0:00:\d\d', after(found, 'time'))
    assert after(found, 'latest').startswith('toy/error -')
    assert after(found, 'length') == '3 epochs'
    assert {'loss', 'learning rate', 'validation, toy', 'Evaluations', 'Predictions'} <= {*found}
    order = [text for text in found if text.startswith('after epoch')]
    assert order == ['after epoch 3', 'after epoch 2', 'after epoch 1']
    assert 'latest checkpoint: epoch_3.pth' in found
    assert any("model = dict(type='ToyModel')" in text for text in found)


def test_a_page_elsewhere_has_links_that_lead_to_the_files(work_dir, tmp_path):
    (work_dir / 'best_a b_epoch_1.pth').touch()
    page = write_run_page(work_dir, tmp_path / 'page.html')
    links = [value for name, value in Reader(page.read_text()).attributes if name == 'href']
    assert 'run/best_a%20b_epoch_1.pth' in links
    assert 'run/epoch_3.pth' in links


def test_names_that_are_no_text_are_on_a_page_elsewhere(work_dir, tmp_path):
    """A folder from a zip file may be named in bytes that are no text, a log hold half a letter."""
    renamed = work_dir.rename(work_dir.with_name('run\udc80'))
    (log,) = renamed.glob('*/vis_data/scalars.json')
    log.write_text(log.read_text().replace('"loss', '"\\ud800loss'))
    page = write_run_page(renamed, tmp_path / 'page.html')
    links = [value for name, value in Reader(page.read_text()).attributes if name == 'href']
    assert 'run%80/epoch_3.pth' in links


def test_the_newest_report_is_on_the_page_and_may_do_nothing(work_dir):
    (work_dir / 'report').mkdir()
    (work_dir / 'report' / 'report.html').write_text(f'<h1>{EVIL}</h1>')
    reader = Reader(write_run_page(work_dir, work_dir / NAME).read_text())
    assert ('srcdoc', f'<h1>{EVIL}</h1>') in reader.attributes
    assert ('sandbox', None) in reader.attributes
    assert 'script' not in reader.tags


def test_names_of_files_are_text(work_dir):
    add_pictures(work_dir, 1, name='<script>x')
    found = Reader(write_run_page(work_dir, work_dir / NAME).read_text())
    assert '<script>x' in found.texts
    assert 'script' not in found.tags


def test_a_picture_that_a_kill_cut_short_is_left_out(work_dir):
    add_pictures(work_dir, 1, 2)
    (work_dir / 'pictures' / 'epoch_2' / '00000_a.jpg').write_bytes(b'half')
    found = texts(write_run_page(work_dir, work_dir / NAME))
    assert 'after epoch 1' in found
    assert 'after epoch 2' not in found


START = dict.fromkeys(TEXTS, 'x')
WHOLE = START | {'trackers': [], 'iteration': 0}


def test_links_that_lead_out_of_a_work_dir_are_not_followed(tmp_path):
    private = tmp_path / 'private'
    private.write_text('secret')
    work_dir = tmp_path / 'run'
    add_pictures(work_dir, 1)
    add_pictures(tmp_path / 'elsewhere', 1, name='mine')
    mine = tmp_path / 'elsewhere' / 'pictures' / 'epoch_1' / 'mine.jpg'
    (work_dir / 'pictures' / 'epoch_1' / 'b.jpg').symlink_to(mine)
    (work_dir / 'pictures' / 'epoch_2').symlink_to(mine.parent)
    (work_dir / 'report.html').symlink_to(private)
    (work_dir / 'x' / 'vis_data').mkdir(parents=True)
    (work_dir / 'x' / 'vis_data' / 'config.py').symlink_to(private)
    assert run.newest_report(work_dir) is None
    assert run.config_text(work_dir) == ''
    pictures = [[*each.pictures] for each in run.evaluations(work_dir, [])]
    assert pictures == [['00000_a'], []]


@pytest.mark.parametrize(
    'content',
    [
        '[]',
        '[' * 10**5,
        '{"starts": 5, "trackers": {}, "status": ""}',
        '{"starts": [{}], "trackers": {}, "status": ""}',
        json.dumps({'starts': [START], 'trackers': {}, 'status': ''}),
        json.dumps({'starts': [START | {'trackers': []}], 'trackers': {}, 'status': ''}),
        json.dumps({'starts': [WHOLE | {'iteration': None}], 'trackers': {}, 'status': ''}),
        json.dumps({'starts': [WHOLE | {'log': '../other'}], 'trackers': {}, 'status': ''}),
        '{"starts": [], "trackers": [1], "status": ""}',
        '{"starts": [], "trackers": {"wandb": "x"}, "status": ""}',
        '{"starts": [], "trackers": {}, "status": {}}',
    ],
)
def test_a_record_that_something_else_has_written_counts_as_none(tmp_path, content):
    (tmp_path / record.NAME).write_text(content)
    assert record.read_record(tmp_path) == record.empty_record()


def test_a_record_of_ours_counts(tmp_path):
    written = {'starts': [WHOLE], 'trackers': {}, 'status': 'finished'}
    record.write_record(tmp_path, written)
    assert record.read_record(tmp_path) == written


def test_a_long_run_shows_some_of_its_evaluations(work_dir):
    add_pictures(work_dir, *range(1, 41))
    found = texts(write_run_page(work_dir, work_dir / NAME))
    shown = [text for text in found if text.startswith('after epoch')]
    assert len(shown) == SHOWN
    assert (shown[0], shown[-1]) == ('after epoch 40', 'after epoch 1')


def test_a_run_that_was_not_followed_has_a_page(tmp_path):
    run_toy(toy_config(tmp_path))
    found = texts(write_run_page(tmp_path, tmp_path / NAME))
    assert after(found, 'status').startswith('not known')
    assert 'Predictions' not in found
    assert after(found, 'logged') == 'up to iteration 12'


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(InputError, match='no run has logged anything there'):
        write_run_page(tmp_path, tmp_path / NAME)


def test_the_page_is_there_while_a_run_trains_and_says_how_it_ended(tmp_path):
    with pytest.raises(RuntimeError, match='no more of it'):
        train(config(tmp_path, PAGE, {'type': 'FailsInEpoch2'}))
    found = texts(tmp_path / NAME)
    assert after(found, 'status') == 'stopped: no more of it'
    assert 'epoch 1' in found


def test_a_page_that_cannot_be_written_is_a_warning(tmp_path, capsys):
    (tmp_path / NAME).mkdir()
    assert train(config(tmp_path, PAGE)).iter == 12
    assert f'warning: {NAME} of this run is not written: ' in capsys.readouterr().out


def test_a_run_lasted_as_long_in_a_copy(tmp_path):
    start = tmp_path / '20260102_101500'
    (start / 'vis_data').mkdir(parents=True)
    (start / 'vis_data' / 'scalars.json').touch()
    lines = ['2026/01/02 10:15:03 - mmengine - INFO - first', '2026/01/02 11:15:30 - last', 'rest']
    (start / f'{start.name}.log').write_text('\n'.join(lines))
    assert run.seconds(tmp_path, []) == 3630
    (start / f'{start.name}.log').write_text('2026/99/99 11:15:30 - damaged')
    assert run.seconds(tmp_path, []) == 0
    (start / f'{start.name}.log').unlink()
    written = datetime(2026, 1, 2, 10, 15, 20).timestamp()
    os.utime(start / 'vis_data' / 'scalars.json', (written, written))
    assert run.seconds(tmp_path, []) == 20
