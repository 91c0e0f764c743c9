"""A prediction that was stopped, killed or failed in part, and goes on."""

import errno
import json
import os
import shutil
import signal
import stat
from pathlib import Path

import pytest
import torch

from ..test_messages import refused
from .pictures import FRAMES, written

pytestmark = pytest.mark.compat


def test_a_signal_keeps_what_is_done(predict, files, at_batch):
    at_batch(FRAMES + 3, lambda: os.kill(os.getpid(), signal.SIGTERM))
    predict('cls', files, status=143)
    assert len(json.loads(Path('out/predictions.json').read_text())) == FRAMES + 2
    assert '3 of 8 files are already done' in predict('cls', files, '--resume').out
    predict('cls', files, out='whole')
    assert written() == written('whole')


@pytest.mark.parametrize(
    ('task', 'share'),
    [('det', 0.3), ('seg', 0.75), ('cls', 0), ('mask_rcnn', 0.5), ('mask2former', 0.3)],
)
def test_killed_anywhere_and_continued_it_is_the_same(predict, files, task, share):
    predict(task, files, '--batch-size', 2, out='whole')
    lines = Path('whole/predictions.jsonl').read_bytes()
    shutil.copytree('whole', 'out')
    Path('out/predictions.json').unlink()
    Path('out/predictions.jsonl').write_bytes(lines[: int(share * len(lines))])
    predict(task, files, '--batch-size', 2, '--resume')
    assert written() == written('whole')


def test_a_full_disk_loses_nothing(predict, files, monkeypatch):
    calls, fsync = [], os.fsync

    def full(number):
        calls.extend([number] * stat.S_ISREG(os.fstat(number).st_mode))  # folders are flushed too
        if len(calls) > 14:  # two of the beginning, one of a line, one of a picture
            raise OSError(errno.ENOSPC, 'No space left on device')
        return fsync(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, 'fsync', full)
        result = predict('cls', files, status=2)
    stopped, error = result.err.splitlines()
    assert stopped.startswith('stopped; continue with the same command and --resume')
    assert ' cannot be written (No space left on device)' in error
    assert not Path('out/predictions.json').exists()
    assert '3 of 8 files are already done' in predict('cls', files, '--resume').out
    predict('cls', files, out='whole')
    assert written() == written('whole')


def test_what_failed_is_tried_again(predict, files):
    good = (files / 'gray.png').read_bytes()
    (files / 'gray.png').write_bytes(good[:100])
    predict('cls', files, status=2)
    (files / 'gray.png').write_bytes(good)
    assert '7 of 8 files are already done' in predict('cls', files, '--resume').out
    predict('cls', files, out='whole')
    assert written()[Path('predictions.json')] == written('whole')[Path('predictions.json')]


def test_another_prediction_is_not_continued(tool, predict, models, files):
    predict('cls', files)
    before = written()
    state = torch.load(models / 'tiny_cls.pth', weights_only=False)
    state['state_dict']['head.fc.bias'] += 1
    torch.save(state, 'other.pth')
    own, other = models / 'tiny_cls.pth', Path('other.pth')
    for text, given in {
        '--score-threshold was 0.3 and is now 0.5': (own, files, '--score-thr', 0.5),
        'CHECKPOINT was tiny_cls.pth (': (other, files),
        f'the folder of the inputs was {files}/ and is now {files}/sub': (own, files / 'sub'),
        'CONFIG was tiny_cls.py': (own, files, '--cfg-options', 'model.head.topk=1'),
    }.items():
        result = tool('predict', models / 'tiny_cls.py', *given, '--out', 'out', '--resume')
        assert text in refused(result, 'start from the beginning with --overwrite')
    assert written() == before
