"""A run that is killed around the writing of a best checkpoint goes on with one best checkpoint."""

import shutil

import pytest

from vitbackbones.openmmlab.atomic_files import AtomicBackend
from vitbackbones.training.find_checkpoint import find_checkpoint, latest_checkpoint
from vitbackbones.weights.read.load import load_file

from ..isolation import process_of_its_own
from .toy import ToyMetric, by_iteration, run_toy, toy_config

pytestmark = pytest.mark.compat

METRIC = 'toy/error'  # which rises in each evaluation
LENGTHS = {'epoch': 1, 'iter': 4}  # what lies between two evaluations


class Killed(BaseException):
    pass


def config(work_dir, loop='epoch', interval=1, wanted=METRIC, **changes):
    """Four epochs, or as many iterations; ``interval`` counts evaluations."""
    base = by_iteration(16) if loop == 'iter' else {}
    base.setdefault('train_cfg', {'by_epoch': True, 'max_epochs': 4, 'val_interval': 1})
    hooks = [{'type': 'vitbackbones.ExactResumeHook'}]
    made = toy_config(work_dir, **base | changes, custom_hooks=hooks)
    made.default_hooks.checkpoint = {
        'type': 'vitbackbones.CheckpointHook',
        'interval': interval * LENGTHS[loop],
        'by_epoch': loop == 'epoch',
        'save_best': wanted,
        'rule': 'greater',
    }
    return made


def killed_run(made, *patched):
    """Train until a function raises :class:`Killed`."""
    with pytest.MonkeyPatch.context() as patch, process_of_its_own():
        patch.setattr(*patched)
        with pytest.raises(Killed):
            run_toy(made)


def killed_after_best(made, number):
    """Train until evaluation ``number`` has written a best checkpoint, and nothing after it."""
    loop = 'epoch' if made.train_cfg.by_epoch else 'iter'
    put, best = AtomicBackend.put, []
    last = f'_{loop}_{number * LENGTHS[loop]}.pth'

    def put_until(self, content, path):
        if best:
            raise Killed
        put(self, content, path)
        best.extend([path] if str(path).endswith(last) else [])

    killed_run(made, AtomicBackend, 'put', put_until)


def resumed(made, folder):
    made.update(resume=True, load_from=str(latest_checkpoint(folder)))
    return run_toy(made)


def best_files(folder):
    return sorted(file.name for file in folder.glob('best_*'))


@pytest.mark.parametrize('wanted', ['auto', METRIC])
@pytest.mark.parametrize('loop', LENGTHS)
@pytest.mark.parametrize(('interval', 'number'), [(1, 2), (2, 3), (2, 2), (1, 4)])
def test_one_best_is_left(tmp_path, loop, interval, number, wanted):
    made = config(tmp_path, loop, interval, wanted)
    killed_after_best(made, number)
    assert len(best_files(tmp_path)) == 1 + (number > 1)
    runner = resumed(made, tmp_path)
    name = f'best_toy_error_{loop}_{4 * LENGTHS[loop]}.pth'
    assert best_files(tmp_path) == [name]
    assert find_checkpoint(f'{tmp_path}/best', 'CHECKPOINT') == tmp_path / name
    assert runner.message_hub.get_info('best_ckpt') == str(tmp_path / name)


def test_the_score_of_before_counts(tmp_path, monkeypatch):
    """The evaluation is not repeated; one that is worse than it was replaced it before."""
    values = iter([1.0, 3.0, 2.0, 2.5])
    monkeypatch.setattr(ToyMetric, 'compute_metrics', lambda *_: {'error': next(values)})
    made = config(tmp_path)
    killed_after_best(made, 2)
    runner = resumed(made, tmp_path)
    assert best_files(tmp_path) == ['best_toy_error_epoch_2.pth']
    assert runner.message_hub.get_info('best_score') == 3
    records = load_file(tmp_path / 'epoch_4.pth')['message_hub']['runtime_info']
    assert records['best_ckpt'] == str(tmp_path / 'best_toy_error_epoch_2.pth')


def test_killed_before_the_older_best_is_removed(tmp_path):
    def remove(self, path):
        raise Killed

    made = config(tmp_path)
    killed_run(made, AtomicBackend, 'remove', remove)
    assert len(best_files(tmp_path)) == 2
    made.train_cfg.max_epochs = 2  # nothing is left to do
    resumed(made, tmp_path)
    assert best_files(tmp_path) == ['best_toy_error_epoch_2.pth']


def test_killed_twice_with_nothing_saved_between(tmp_path):
    made = config(tmp_path, interval=2)
    killed_after_best(made, 3)
    made.update(resume=True, load_from=str(latest_checkpoint(tmp_path)))
    killed_after_best(made, 4)
    assert best_files(tmp_path) == [f'best_toy_error_epoch_{number}.pth' for number in (3, 4)]
    resumed(made, tmp_path)
    assert best_files(tmp_path) == ['best_toy_error_epoch_4.pth']


def test_each_metric_has_its_own(tmp_path, monkeypatch):
    values = iter(range(9))
    both = lambda *_: dict.fromkeys(('error', 'again'), float(next(values)))  # noqa: E731
    monkeypatch.setattr(ToyMetric, 'compute_metrics', both)
    made = config(tmp_path, wanted=['toy/again', METRIC])
    killed_after_best(made, 2)  # the other metric's best of then was not written
    made.train_cfg.max_epochs = 2
    resumed(made, tmp_path)
    assert best_files(tmp_path) == ['best_toy_again_epoch_2.pth', 'best_toy_error_epoch_1.pth']


def test_in_a_moved_work_dir(tmp_path):
    killed_after_best(config(tmp_path / 'first'), 4)
    moved = tmp_path / 'moved'
    shutil.move(tmp_path / 'first', moved)
    runner = resumed(config(moved), moved)
    assert best_files(moved) == ['best_toy_error_epoch_4.pth']
    assert runner.message_hub.get_info('best_ckpt') == str(moved / 'best_toy_error_epoch_4.pth')


def test_what_changed_settings_do_not_reach_again_is_left(tmp_path):
    made = config(tmp_path)
    run_toy(made)
    made.optim_wrapper.optimizer.lr = 0.01
    made.update(resume=True, load_from=str(tmp_path / 'epoch_2.pth'))
    made.train_cfg.max_epochs = 3
    run_toy(made)
    assert best_files(tmp_path) == [f'best_toy_error_epoch_{number}.pth' for number in (3, 4)]


def test_files_of_others_are_left(tmp_path):
    folder = tmp_path / 'run'
    run_toy(config(tmp_path / 'other'))
    made = config(folder)
    made.train_cfg.max_epochs = 2
    run_toy(made)
    own = folder / 'best_toy_error_epoch_2.pth'
    shutil.copy(own, folder / 'best_of_mine.pth')
    shutil.copy(tmp_path / 'other' / 'best_toy_error_epoch_4.pth', folder)
    (folder / 'best_notes.pth').write_text('mine')
    (folder / 'best_folder.pth').mkdir()
    before = best_files(folder)
    resumed(made, folder)
    assert best_files(folder) == before
