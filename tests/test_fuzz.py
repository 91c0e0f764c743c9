"""Thousands of spoiled files: each is loaded or refused, none crashes, hangs or runs anything.

SEED=0 COUNT=3000 python -m pytest -m fuzz tests/test_fuzz.py -s
"""

import codecs
import io
import multiprocessing
import os
import random
import signal
import sys
import zipfile
from collections import Counter

import numpy as np
import pytest
import torch
from mmengine.logging import HistoryBuffer
from safetensors.torch import save
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.weights.read.load import load_file

from .attacks import ATTACKS, CANARY

pytestmark = pytest.mark.fuzz
SEED, COUNT = int(os.environ.get('SEED', 0)), int(os.environ.get('COUNT', 3000))
EACH = 250  # files in one process
# What Python reports of itself when code runs or files are touched.
ALARMS = {'exec', 'os.system', 'os.exec', 'os.posix_spawn', 'os.fork', 'subprocess.Popen'}
ALARMS |= {'os.mkdir', 'os.remove', 'os.rename', 'os.rmdir', 'shutil.rmtree', 'socket.connect'}
ALARMS |= {'ctypes.dlopen', 'marshal.loads', 'pickle.find_class', 'import'}


def honest():
    """Files as runs and published models have them, by their suffix."""
    history = HistoryBuffer([1.0, 2.0], [1, 1])
    torch.manual_seed(SEED)
    layers = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).state_dict()
    content = {
        'state_dict': layers,
        'meta': {'epoch': 1, 'iter': 4, 'dataset_meta': {'classes': ('a', 'b')}},
        'message_hub': {'log_scalars': {'loss': history}, 'runtime_info': {'best': np.float64(1)}},
        'rng': np.arange(6, dtype=np.uint32).reshape(2, 3),
    }
    for zipped in (True, False):
        file = io.BytesIO()
        torch.save(content, file, _use_new_zipfile_serialization=zipped)
        yield '.pth', file.getvalue()
    yield '.safetensors', save({key: value.float() for key, value in layers.items()})


SEEDS = [*honest(), *ATTACKS.values()]
SNIPPETS = [text[i : i + 40] for _, text in SEEDS for i in range(0, min(len(text), 4000), 40)]


def spoil(content, dice):
    """Flip, cut, repeat and mix some bytes."""
    content = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 4, 16))):
        at = dice.randrange(len(content) + 1)
        length = dice.choice((0, 1, 1, 2, 4, 8, 40))
        new = dice.choice((b'', dice.randbytes(length), dice.choice(SNIPPETS)))
        content[at : at + length] = new
    return bytes(content)


def spoiled(number):
    """The suffix and content of a file that depends on ``SEED`` and its number alone."""
    dice = random.Random(f'{SEED} {number}')
    suffix, content = dice.choice(SEEDS[:3] if dice.random() < 0.5 else SEEDS)
    if (
        content.startswith(b'PK')
        and zipfile.is_zipfile(io.BytesIO(content))
        and dice.random() < 0.7
    ):
        return suffix, with_spoiled_records(content, dice)
    return suffix, spoil(content, dice)


def with_spoiled_records(content, dice):
    """Spoil what is in an archive and keep the archive whole."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, 'w') as new:
        for name in old.namelist():
            record = old.read(name)
            new.writestr(name, spoil(record, dice) if dice.random() < 0.3 else record)
    return target.getvalue()


def load_all(numbers, folder, results):
    """Load some files; what became of each goes to ``results`` at once, lest the process dies."""
    for encoding in ('cp437', 'raw_unicode_escape'):  # else their import would be an alarm
        codecs.lookup(encoding)
    for suffix, content in SEEDS[:3]:
        outcome(folder / f'honest{suffix}', content)
    alarms = []
    sys.addaudithook(lambda event, _: alarms.append(event) if event in ALARMS else None)
    for number in numbers:
        results[number] = 'crashed or hung'
        signal.alarm(60)
        suffix, content = spoiled(number)
        del alarms[:]
        results[number] = outcome(folder / f'file{suffix}', content)
        if alarms:
            results[number] = f'ran something: {alarms}'


def outcome(file, content):
    file.write_bytes(content)
    try:
        torch.save(load_file(file), io.BytesIO())
        return 'loaded'
    except InputError:
        return 'refused'
    except Exception as error:
        return f'traceback: {error!r}'


def test_nothing_but_loaded_and_refused(tmp_path):
    fork = multiprocessing.get_context('fork')
    with fork.Manager() as manager:
        results = manager.dict()
        for first in range(0, COUNT, EACH):
            numbers = range(first, min(first + EACH, COUNT))
            process = fork.Process(target=load_all, args=(numbers, tmp_path, results))
            process.start()
            process.join()
        results = dict(results)
    print(f'SEED={SEED}', Counter(results.values()))
    assert {n: r for n, r in results.items() if r not in ('loaded', 'refused')} == {}
    assert len(results) == COUNT
    assert min(Counter(results.values()).values()) > COUNT / 100  # both are tried
    assert not CANARY.exists()
