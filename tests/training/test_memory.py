"""No more data workers than the memory holds."""

import multiprocessing
import os
import signal
import time

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from vitbackbones.commands.ending import run
from vitbackbones.errors import InputError
from vitbackbones.training import memory
from vitbackbones.training.memory import fitting_workers, free_memory, worker_memory

MEGABYTE = 2**20
# at most; a process that has run a thousand tests has more to write to than one that trains
SHARED = 500


def system(root, **files):
    """Write files of /proc and /sys: ``proc_meminfo`` is proc/meminfo, as far as '_' goes."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


MEMINFO = {'proc/meminfo': 'MemTotal: 9000 kB\nMemFree: 1 kB\nMemAvailable: 4000 kB\n'}
JOB = 'sys/fs/cgroup/slurm/job_7'
FIRST = 'sys/fs/cgroup/memory/job_7'


@pytest.mark.parametrize(
    ('files', 'kilobytes'),
    [
        ({'proc/self/cgroup': '0::/'}, 4000),
        (
            {
                'proc/self/cgroup': '0::/slurm/job_7\n',
                f'{JOB}/memory.max': '3072000',
                f'{JOB}/memory.current': '1024000',
                f'{JOB}/memory.stat': 'anon 5\ninactive_file 512000\n',
                'sys/fs/cgroup/slurm/memory.max': 'max',
                'sys/fs/cgroup/slurm/memory.current': '1024000',
            },
            2500,
        ),
        (
            {
                'proc/self/cgroup': '0::/slurm/job_7/step_0\n',  # the limit is that of the job
                f'{JOB}/memory.max': '2048000',
                f'{JOB}/memory.current': '1024000',
                f'{JOB}/memory.stat': '',
            },
            1000,
        ),
        (
            {
                'proc/self/cgroup': '0::/slurm/job_7\n',
                f'{JOB}/memory.max': '1024000',  # lowered while the job ran
                f'{JOB}/memory.current': '2048000',
                f'{JOB}/memory.stat': '',
            },
            0,
        ),
        (
            {
                'proc/self/cgroup': '5:cpu,cpuacct:/\n4:memory:/job_7\n0::/\n',
                f'{FIRST}/memory.limit_in_bytes': '3072000',
                f'{FIRST}/memory.usage_in_bytes': '2048000',
                f'{FIRST}/memory.stat': 'total_inactive_file 102400\n',
            },
            1100,
        ),
    ],
)
def test_the_least_of_the_machine_and_all_groups_is_free(tmp_path, files, kilobytes):
    assert free_memory(system(tmp_path, **MEMINFO, **files)) == 1024 * kilobytes


def test_other_systems_do_not_say(tmp_path):
    assert free_memory(tmp_path) is None


class Images(Dataset):
    """Samples of 4 MB, made of 32 MB that a worker keeps."""

    def __init__(self, dies=False):
        self.dies = dies

    def __len__(self):
        return 100

    def __getitem__(self, i):
        if self.dies:
            os._exit(9)
        if i == 0:
            raise ValueError('one that cannot be loaded')
        self.kept = torch.ones(8 * MEGABYTE)
        return self.kept[:MEGABYTE].clone()


def images(workers=4, dataset=None, **options):
    return DataLoader(dataset or Images(), batch_size=10, num_workers=workers, **options)


def test_a_worker_takes_what_it_keeps_and_its_batches():
    """32 MB and 10 samples of 4 MB in each of 3 batches, beside what it writes to of ours."""
    taken = worker_memory(images(prefetch_factor=2)) / MEGABYTE
    assert 152 < taken < 152 + SHARED
    fewer = worker_memory(images(prefetch_factor=1)) / MEGABYTE
    assert taken - fewer == pytest.approx(40, abs=15)


def test_what_a_worker_shares_costs_nothing():
    dataset = Images()
    dataset.list = torch.ones(256 * MEGABYTE)  # 1 GB, in this process
    assert worker_memory(images(dataset=dataset)) / MEGABYTE < 152 + SHARED


def test_a_worker_that_dies_is_reported():
    with pytest.raises(InputError, match='ended with code 9 while it loaded 8 samples, most like'):
        worker_memory(images(dataset=Images(dies=True)))


class Threads(Images):
    """Writes into a file how many threads compute a sample."""

    def __init__(self, file):
        self.file = file

    def __getitem__(self, i):
        self.file.write_text(str(torch.get_num_threads()))


def test_a_worker_computes_with_one_thread(tmp_path):
    """A fork would wait forever for the other threads of its parent, which it does not have."""
    threads = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        worker_memory(images(dataset=Threads(tmp_path / 'threads')))
    finally:
        torch.set_num_threads(threads)
    assert (tmp_path / 'threads').read_text() == '1'


class Waiting(Images):
    """Sends a signal to the training process and to its worker, as a terminal, and then waits."""

    def __init__(self, number=None):
        self.number = number

    def __getitem__(self, i):
        if self.number:
            os.kill(os.getppid(), self.number)
            os.kill(os.getpid(), self.number)
        time.sleep(600)


def test_workers_that_take_too_long_are_not_measured(monkeypatch):
    monkeypatch.setattr(memory, 'PATIENCE', 0.5)
    counts, message = fitting_workers([images(3, Waiting()), images(2)])
    assert counts == [3, 2]
    assert message == (
        'a data worker has not loaded 8 samples after 0.5 s: all 5 (num_workers) are used, though '
        'the memory may not hold them'
    )
    assert not multiprocessing.active_children()


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_measurement(number, capsys):
    """Python's exit waits for processes, so none is left."""
    assert run(lambda: worker_memory(images(dataset=Waiting(number)))) == 128 + number
    assert capsys.readouterr().err == 'interrupted\n'
    assert not multiprocessing.active_children()


@pytest.fixture
def workers_of(monkeypatch):
    """``workers_of(free, *counts)``: how many fit if each takes 1 GB and ``free`` GB are free."""

    def fit(free, *counts):
        monkeypatch.setattr(memory, 'free_memory', lambda: free and int(free * 1e9))
        monkeypatch.setattr(memory, 'worker_memory', lambda loader: 10**9)
        return fitting_workers([images(count) for count in counts])

    return fit


def test_workers_that_fit_stay(workers_of):
    assert workers_of(20, 8, 8) == ([8, 8], '')
    assert workers_of(None, 8) == ([8], '')
    assert workers_of(0.1, 0, 0) == ([0, 0], '')


def test_more_workers_than_memory_are_fewer_and_told(workers_of, monkeypatch):
    counts, message = workers_of(10, 8, 8)
    assert counts == [4, 4]
    assert message.startswith(
        '16 data workers (num_workers) would take about 16.0 GB, more than 80% of the free memory, '
        '8.0 GB for this process: 8 are used. Give the job more memory, or lower num_workers'
    )
    assert workers_of(1, 4)[0] == [0]
    monkeypatch.setenv('LOCAL_WORLD_SIZE', '4')
    assert workers_of(10, 8, 0)[0] == [2, 0]
