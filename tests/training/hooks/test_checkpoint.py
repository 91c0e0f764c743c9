"""Nothing that was saved is lost, whenever a run is killed."""

import errno
import os
import shutil
from itertools import count
from pathlib import Path

import pytest
from mmengine.fileio import LocalBackend

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.loading import AtomicBackend
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks.checkpoint import CheckpointHook
from vitbackbones.utils.files import remove_parts
from vitbackbones.weights.read.load import load_file

from ...isolation import process_of_its_own
from ..toy import ToyMetric, run_toy, toy_config
from .test_exact_resume import Killed

pytestmark = pytest.mark.compat


def with_checkpoints(work_dir, **options):
    hook = {'type': 'vitbackbones.CheckpointHook', 'interval': 1, **options}
    return toy_config(work_dir, default_hooks={'checkpoint': hook})


def killed(*args):
    raise Killed


def test_a_file_is_the_old_or_the_new_one(tmp_path, monkeypatch):
    path = tmp_path / 'epoch_1.pth'
    AtomicBackend().put(b'old', path)
    with monkeypatch.context() as killing:
        killing.setattr(os, 'fsync', killed)
        killing.setattr(Path, 'unlink', lambda *arguments, **options: None)  # a kill tidies nothing
        with pytest.raises(Killed):
            AtomicBackend().put(b'new', path)
    assert path.read_bytes() == b'old'
    assert len(list(tmp_path.iterdir())) == 2
    remove_parts(tmp_path)  # what the killed writer has left
    assert list(tmp_path.iterdir()) == [path]
    AtomicBackend().put(b'new', path)
    assert path.read_bytes() == b'new'
    assert list(tmp_path.iterdir()) == [path]


def test_the_new_name_is_flushed_too(tmp_path, monkeypatch):
    flushed = []

    def note(entries):
        flushed.append((os.readlink(f'/proc/self/fd/{entries}'), os.listdir(tmp_path)))

    monkeypatch.setattr(os, 'fsync', note)
    AtomicBackend().put(b'new', tmp_path / 'epoch_1.pth')
    assert flushed[-1] == (str(tmp_path), ['epoch_1.pth'])


def test_a_full_disk_is_one_message(tmp_path, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, 'No space left on device')

    path = tmp_path / 'epoch_1.pth'
    AtomicBackend().put(b'old', path)
    monkeypatch.setattr(os, 'fsync', full)
    with pytest.raises(InputError, match=r'epoch_1\.pth cannot be written \(No space left'):
        AtomicBackend().put(b'new', path)
    assert path.read_bytes() == b'old'
    assert not list(tmp_path.glob('*.part'))


def test_the_oldest_goes_after_the_newest_is_there(tmp_path, monkeypatch):
    put = LocalBackend.put

    def kill_at_second(self, obj, path):
        if 'epoch_2' in str(path):
            raise Killed
        put(self, obj, path)

    monkeypatch.setattr(AtomicBackend, 'put', kill_at_second)
    with pytest.raises(Killed):
        run_toy(with_checkpoints(tmp_path, max_keep_ckpts=1))
    assert load_file(tmp_path / 'epoch_1.pth')['meta']['epoch'] == 1


def test_only_the_wanted_number_is_kept(tmp_path):
    run_toy(with_checkpoints(tmp_path, max_keep_ckpts=1, save_best='toy/error', rule='less'))
    best = [file.name for file in tmp_path.glob('best_*')]
    assert [file.name for file in tmp_path.glob('epoch_*')] == ['epoch_3.pth']
    assert len(best) == 1


@pytest.mark.parametrize('interval', [1, 2])
def test_killed_after_a_best_checkpoint_goes_on_with_one(tmp_path, monkeypatch, interval):
    """The metric rises in each of four evaluations; the third leaves a best one and no other."""
    options = {'save_best': 'toy/error', 'rule': 'greater'}
    config = with_checkpoints(tmp_path, interval=interval, **options)
    config.train_cfg.max_epochs = 4
    kinds = ('ExactResumeHook', 'InterruptHook')
    config.custom_hooks = [{'type': f'vitbackbones.{kind}'} for kind in kinds]
    put, last = AtomicBackend.put, []

    def put_until(self, content, path):
        if last:
            raise Killed
        put(self, content, path)
        last.extend([path] if 'best_toy_error_epoch_3' in str(path) else [])

    with monkeypatch.context() as patch, process_of_its_own():
        patch.setattr(AtomicBackend, 'put', put_until)
        with pytest.raises(Killed):
            run_toy(config)
    assert len(list(tmp_path.glob('best_*'))) == 2
    config.update(resume=True, load_from=str(latest_checkpoint(tmp_path)))
    runner = run_toy(config)
    (best,) = tmp_path.glob('best_*')
    assert best.name == 'best_toy_error_epoch_4.pth'
    assert runner.message_hub.get_info('best_ckpt') == str(best)


@pytest.mark.parametrize(
    ('wanted', 'is_copied'), [(['toy/error'], True), (['toy/error', 'toy/again'], False)]
)
def test_a_run_resumed_in_another_folder_leaves_the_best_of_the_first(
    tmp_path, monkeypatch, wanted, is_copied
):
    values = count()

    def better_each_time(self, results):
        return dict.fromkeys(('error', 'again'), float(next(values)))

    monkeypatch.setattr(ToyMetric, 'compute_metrics', better_each_time)
    options = {'save_best': wanted if len(wanted) > 1 else wanted[0], 'rule': 'greater'}
    first, other = tmp_path / 'first', tmp_path / 'other'
    run_toy(with_checkpoints(first, **options))
    if is_copied:
        shutil.copytree(first, other)
    config = with_checkpoints(other, **options)
    config.update(resume=True, load_from=str((other if is_copied else first) / 'epoch_3.pth'))
    config.train_cfg.max_epochs = 4
    run_toy(config)
    for folder, epoch in ((first, 3), (other, 4)):
        expected = {f'best_{metric.replace("/", "_")}_epoch_{epoch}.pth' for metric in wanted}
        assert {file.name for file in folder.glob('best_*')} == expected


def test_unknown_options():
    message = "checkpoint.max_keep_ckpt: unknown key; did you mean 'max_keep_ckpts'"
    with pytest.raises(InputError, match=message):
        CheckpointHook(interval=1, max_keep_ckpt=1)


def test_unknown_best_metric(tmp_path):
    with pytest.raises(
        InputError, match=r"save_best: \['mAP'\] is not a metric of this run; use one of toy/error"
    ):
        run_toy(with_checkpoints(tmp_path, save_best='mAP', rule='greater'))
