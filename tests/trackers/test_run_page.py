"""The page of a run, from what the run has left."""

import json
import os
import shlex
import sys

import pytest
import torch
from PIL import Image

from vitbackbones.trackers import RUN_PAGE
from vitbackbones.trackers.run_page import read_record, write_run_page

from ..reports.test_page import EVIL, Reader
from ..training.toy import toy_config
from .conftest import config, train

pytestmark = pytest.mark.compat


def texts(page):
    return [text.strip() for text in Reader(page.read_text()).texts if text.strip()]


def after(found, name):
    """What stands beside ``name`` in a table of facts."""
    return found[found.index(name) + 1]


def add_pictures(work_dir, *epochs, name='00000_a'):
    for epoch in epochs:
        folder = work_dir / 'pictures' / f'epoch_{epoch}'
        folder.mkdir(parents=True, exist_ok=True)
        Image.new('RGB', (90, 30)).save(folder / f'{name}.jpg')


LOSS = {'loss': 1.0, 'iter': 1, 'step': 1}


def write_log(work_dir, *rows):
    file = work_dir / '20260101_000000' / 'vis_data' / 'scalars.json'
    file.parent.mkdir(parents=True)
    file.write_text(''.join(json.dumps(row) + '\n' for row in rows))


def test_a_page_holds_all_of_a_run(tmp_path):
    work_dir = tmp_path / 'run'
    train(config(work_dir, track={'pictures': 0}))
    add_pictures(work_dir, 1, 2, 10)
    found = texts(write_run_page(work_dir, work_dir / RUN_PAGE))
    assert after(found, 'status') == 'finished'
    assert after(found, 'toy/error').endswith(' after epoch 3')
    assert after(found, 'work_dir') == str(work_dir)
    assert 'torch ' in after(found, 'versions')
    titles = ['Status', 'Latest evaluation', 'Curves', 'Predictions']
    assert [*dict.fromkeys(each for each in found if each in titles)] == titles
    order = [text for text in found if text.startswith('after epoch')]
    assert order == ['after epoch_10', 'after epoch_2', 'after epoch_1']
    assert any("model = dict(type='ToyModel')" in text for text in found)


def test_names_are_text_and_nothing_is_loaded(tmp_path):
    write_log(tmp_path, LOSS, {f'coco/{EVIL}': 0.5, 'step': 1})
    add_pictures(tmp_path, 1, name='<script>x')
    (tmp_path / 'tracking.json').write_text(json.dumps({'status': EVIL, EVIL: '', 'config': EVIL}))
    reader = Reader(write_run_page(tmp_path, tmp_path / RUN_PAGE).read_text())
    assert reader.texts.count(EVIL) == 3
    assert {f'coco/{EVIL}', '<script>x'} <= {*reader.texts}
    assert 'script' not in reader.tags
    addresses = [value for name, value in reader.attributes if name in ('src', 'href')]
    assert all(address.startswith(('#', 'data:image/')) for address in addresses)


def test_only_whole_pictures_of_the_run_are_shown(tmp_path):
    work_dir = tmp_path / 'run'
    write_log(work_dir, LOSS)
    add_pictures(work_dir, 1, 2, 'x')
    (work_dir / 'pictures' / 'epoch_2' / '00000_a.jpg').write_bytes(b'half')
    add_pictures(tmp_path / 'private', 1)
    mine = tmp_path / 'private' / 'pictures' / 'epoch_1'
    (work_dir / 'pictures' / 'epoch_1' / 'b.jpg').symlink_to(mine / '00000_a.jpg')
    (work_dir / 'pictures' / 'epoch_3').symlink_to(mine)
    os.mkfifo(work_dir / 'pictures' / 'epoch_1' / 'c.jpg')
    found = texts(write_run_page(work_dir, work_dir / RUN_PAGE))
    assert [text for text in found if text.startswith('after epoch_')] == ['after epoch_1']


def test_a_page_that_cannot_be_written_is_a_warning(tmp_path, capsys):
    (tmp_path / RUN_PAGE).mkdir()
    assert train(config(tmp_path)).iter == 12
    assert f'warning: {RUN_PAGE} of this run cannot be written: ' in capsys.readouterr().out


@pytest.mark.parametrize('content', ['[]', '{"status": {}}', '[' * 10**5])
def test_a_damaged_record_counts_as_none(tmp_path, content):
    (tmp_path / 'tracking.json').write_text(content)
    assert read_record(tmp_path) == {}


def test_of_a_run_that_was_not_followed_its_log_tells(tmp_path):
    work_dir = tmp_path / 'run'
    train(toy_config(work_dir, custom_hooks=[{'type': 'vitbackbones.CurvesHook'}]))
    found = texts(write_run_page(work_dir, work_dir / RUN_PAGE))
    assert after(found, 'status') == 'finished'
    assert after(found, 'command') == shlex.join(sys.argv)
    assert after(found, 'PyTorch').startswith(torch.__version__.partition('+')[0])
    assert any("model = dict(type='ToyModel')" in text for text in found)

    (log,) = work_dir.glob('*/*.log')
    lines = log.read_text().splitlines()
    last = next(i for i, line in enumerate(lines) if 'Saving checkpoint at 2 epochs' in line)
    log.write_text('\n'.join([*lines[: last + 1], 'Killed']))
    status = after(texts(write_run_page(work_dir, work_dir / RUN_PAGE)), 'status')
    assert (
        status == 'running or stopped: 2 of 3 epochs are saved; the last line of the log is: Killed'
    )
    log.unlink()
    status = after(texts(write_run_page(work_dir, work_dir / RUN_PAGE)), 'status')
    assert status == 'unknown: the log mentions no checkpoint'


SECRET = 'root:x:0:0'


@pytest.mark.parametrize('place', ['vis_data/config.py', 'run.log', 'vis_data/scalars.json', None])
def test_what_a_link_out_of_the_run_leads_to_is_not_shown(tmp_path, place):
    work_dir, secret = tmp_path / 'run', tmp_path / 'secret'
    write_log(work_dir, LOSS)
    (start,) = (file.parents[1] for file in work_dir.glob('*/vis_data/scalars.json'))
    secret.write_text(f'{{"status": "{SECRET}"}}\n')
    if place == 'vis_data/scalars.json':
        secret.write_text(json.dumps({**LOSS, 'step': 1, 'coco/bbox_mAP': 0.123456}))
        start = work_dir / 'later'
    place = start / place.replace('run', start.name) if place else work_dir / 'tracking.json'
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(secret)
    page = write_run_page(work_dir, work_dir / RUN_PAGE).read_text()
    assert SECRET not in page
    assert '0.1235' not in page


def test_numbers_of_any_length_in_a_log_are_text(tmp_path):
    write_log(tmp_path, LOSS)
    (start,) = (file.parents[1] for file in tmp_path.glob('*/vis_data/scalars.json'))
    digits = '9' * 5000
    log = f'Saving checkpoint at {digits} epochs\nSaving checkpoint at 2 epochs\nend'
    (start / f'{start.name}.log').write_text(log)
    (start / 'vis_data' / 'config.py').write_text(f'train_cfg = dict(max_epochs={digits})')
    status = after(texts(write_run_page(tmp_path, tmp_path / RUN_PAGE)), 'status')
    assert status == 'unknown: the log mentions no checkpoint'
