"""A run that is followed, and its best checkpoint, as a user asks for them."""

import sys

from .conftest import TINY_CLS
from .test_messages import refused

FOLLOWED = ('--track', 'page', '--cfg-options', 'default_hooks.checkpoint.save_best=auto')


def test_a_classifier_is_followed_and_its_best_checkpoint_is_tested(run, tool, folders, tmp_path):
    run('train', TINY_CLS, '--data-root', folders, *FOLLOWED)
    work_dir = tmp_path / 'work_dirs' / 'tiny_cls'
    assert len([*(work_dir / 'pictures' / 'epoch_1').glob('*.jpg')]) == 3  # of as many
    assert '>finished<' in (work_dir / 'run.html').read_text()
    (best,) = work_dir.glob('best_accuracy_top1_epoch_1.pth')
    given = ('test', TINY_CLS, 'work_dirs/tiny_cls', '--data-root', folders, '--draw', 'drawn')
    latest = tool(*given)
    assert f'epoch_1.pth, the latest; {work_dir}/best is {best.name}' in latest.out
    assert '3 images in drawn' in latest.out
    again = tool('test', TINY_CLS, 'work_dirs/tiny_cls/best', '--data-root', folders)
    assert f'checkpoint: {best}, the best\n' in again.out
    page = tool('page', work_dir, '--out', 'page.html')
    assert page.out == f'page: {tmp_path / "page.html"}\n'
    refused(tool('page', 'nowhere'), 'nowhere: contains no log of a run')


def test_a_missing_package_is_one_line_before_the_run(tool, monkeypatch, tmp_path):
    name = 'wandb'
    monkeypatch.setitem(sys.modules, name, None)
    said = refused(tool('train', TINY_CLS, '--track', name), f'install it: pip install {name}')
    assert len(said.splitlines()) == 1
    assert not (tmp_path / 'work_dirs').exists()
