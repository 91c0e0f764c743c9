"""``predict --ray``: shards of a cluster are the answers of one machine, whatever is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from tests.commands.conftest import run, tool  # noqa: F401
from tests.commands.test_messages import refused
from tests.runtime.graphs import write_classifier
from vitbackbones.errors import InputError
from vitbackbones.inference import on_ray
from vitbackbones.inference.on_ray import Answerer

pytest.importorskip('fsspec')
BAD = 'c/bad.png'


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A model, eleven pictures in folders, and one that is none; the current folder."""
    monkeypatch.chdir(tmp_path)
    write_classifier(Path('model.onnx'), size=(None, None))
    colors = np.random.default_rng(0).integers(0, 255, (11, 3))
    for i, color in enumerate(colors):
        file = Path('images', 'abc'[i % 3], f'{i}.png')
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new('RGB', (8 + i % 2, 8), tuple(map(int, color))).save(file)
    Path('images', BAD).write_text('no picture')
    return tmp_path


@pytest.fixture
def alone(tool, place):  # noqa: F811
    """The lines that one machine writes."""
    result = tool('predict', 'model.onnx', 'images', '--out', 'alone', '--no-pictures')
    assert result.status == 2, result.err
    return Path('alone/predictions.jsonl').read_bytes()


@contextmanager
def nothing(*_):
    yield None


@pytest.fixture
def here(monkeypatch):
    """The driver's part without a cluster: shards are answered in this process."""
    asked = []

    def go(ray, job, shards):
        answerer = Answerer(job)
        asked.append([shard.number for shard in shards])
        return on_ray.count_answers(answerer({'shard': shard.text()}) for shard in shards)

    monkeypatch.setattr(on_ray, 'connected', nothing)
    monkeypatch.setattr(on_ray, 'claimed', nothing)
    monkeypatch.setattr(on_ray, '_go_through', go)
    return asked


def union(out):
    return b''.join(part.read_bytes() for part in sorted(Path(out).glob('part-*.jsonl')))


ON_RAY = ('predict', 'model.onnx', 'images', '--ray', 'auto', '--shard-size', '4')


def test_shards_together_are_what_one_machine_writes(tool, alone, here):  # noqa: F811
    result = tool(*ON_RAY, '--out', 'out')
    assert result.status == 0, result.err
    assert union('out') == alone
    assert '3 shards in file://' in result.out
    assert '11 images answered now; 1 image unreadable, see file://' in result.out
    (bad,) = Path('out/unreadable').iterdir()
    entry = json.loads(bad.read_text())
    assert entry['file_name'] == BAD
    assert 'not an image' in entry['error']


def test_a_stopped_job_goes_on_with_what_is_left(tool, alone, here):  # noqa: F811
    tool(*ON_RAY, '--out', 'out')
    Path('out/part-000001.jsonl').unlink()
    assert 'is not empty' in refused(tool(*ON_RAY, '--out', 'out'))
    changed = refused(tool(*ON_RAY[:-1], '5', '--out', 'out', '--resume'))
    assert '--shard-size was 4 and is now 5' in changed
    changed = refused(tool(*ON_RAY, '--out', 'out', '--resume', '--precision', 'f32'))
    assert '--precision was auto and is now f32' in changed
    result = tool(*ON_RAY, '--out', 'out', '--resume')
    assert result.status == 0, result.err
    assert here[-1] == [1]
    assert '3 shards in file://' in result.out
    assert '2 of them before; 4 images answered now' in result.out
    assert union('out') == alone
    tool(*ON_RAY, '--out', 'out', '--overwrite')
    assert here[-1] == [0, 1, 2]


def test_images_that_came_since_are_not_taken_for_answered(tool, alone, here):  # noqa: F811
    tool(*ON_RAY, '--out', 'out')
    Path('out/part-000001.jsonl').unlink()
    Image.new('RGB', (8, 8)).save('images/a/00.png')
    changed = refused(tool(*ON_RAY, '--out', 'out', '--resume'))
    assert 'the list of images in INPUT was ' in changed
    Path('images/a/00.png').unlink()
    settings = Path('out/settings.json')
    earlier = json.loads(settings.read_text())
    del earlier[on_ray.LISTED]  # as of 1.0
    settings.write_text(json.dumps(earlier))
    assert tool(*ON_RAY, '--out', 'out', '--resume').status == 0
    assert union('out') == alone


def test_a_new_start_forgets_what_was_unreadable(tool, alone, here):  # noqa: F811
    assert '1 image unreadable' in tool(*ON_RAY, '--out', 'out').out
    Path('images', BAD).unlink()
    assert 'unreadable' not in tool(*ON_RAY, '--out', 'out', '--overwrite').out
    assert not Path('out/unreadable').exists()


def test_a_list_may_begin_with_the_mark_of_utf_8(place):
    Path('list.txt').write_text('images/a/0.png\nimages/b/1.png\n', 'utf-8-sig')
    (shard,) = on_ray.find_shards('list.txt', 10)
    assert shard.names == ['images/a/0.png', 'images/b/1.png']


def test_a_task_that_is_tried_again_writes_no_shard_twice(place):
    job = on_ray.Job(on_ray.ModelRequest('model.onnx'), '.', 'out', '.jsonl', 1, 'rle')
    answerer = Answerer(job)
    (shard,) = on_ray.find_shards('images/a', 10)
    assert answerer({'shard': shard.text()}) == {'answered': 4, 'error': ''}
    before = Path('out/part-000000.jsonl').stat()
    assert answerer({'shard': shard.text()}) == {'answered': 0, 'error': ''}
    assert Path('out/part-000000.jsonl').stat() == before


def test_a_list_names_what_is_not_there(tool, place, here):  # noqa: F811
    lines = [f'{place}/images/a/0.png', 'memory://no/such.png', f'{place}/gone.png']
    Path('list.txt').write_text('\n'.join(lines))
    words = ('predict', 'model.onnx', 'list.txt', '--ray', 'auto', '--out', 'out')
    result = tool(*words)
    assert result.status == 0, result.err
    assert '1 image answered' in result.out or '1 images answered' in result.out
    bad = map(json.loads, Path('out/unreadable/part-000000.jsonl').read_text().splitlines())
    assert [each['file_name'] for each in bad] == ['no/such.png', f'{place}/gone.png'.lstrip('/')]


def test_what_goes_wrong_on_a_node_is_one_message(tool, place, here, monkeypatch):  # noqa: F811
    def full(*_):
        raise InputError('/out cannot be written (No space left on device)')

    monkeypatch.setattr(on_ray.Output, 'answers', full)
    text = refused(tool(*ON_RAY, '--out', 'out'))
    assert text == 'error: /out cannot be written (No space left on device)\n'
    assert not [*Path('out').glob('part-*')]


def test_ray_that_is_missing(tool, place, monkeypatch):  # noqa: F811
    monkeypatch.setitem(sys.modules, 'ray', None)
    result = tool('predict', 'model.onnx', 'images', '--out', 'out', '--ray', 'auto')
    assert "install it: pip install 'vitbackbones[ray]'" in refused(result)


@pytest.mark.parametrize('address', ['127.0.0.1:9', 'ray://127.0.0.1:9'])
def test_a_cluster_that_is_not_there_is_one_message(place, address):
    if find_spec('ray') is None:  # importing it would change the environment
        pytest.skip('no Ray here')
    words = [sys.executable, '-m', 'vitbackbones', *ON_RAY[:3], '--out', 'out', '--ray', address]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert f'error: --ray {address}: no Ray cluster can be reached' in done.stderr
    assert 'Traceback' not in done.stderr


def test_what_a_cluster_cannot_do(tool, place):  # noqa: F811
    words = ('predict', 'model.onnx', 'images', '--ray', 'auto', '--out', 'out')
    assert '--track is not supported' in refused(tool(*words, '--track'))
    assert 'requires a number for --batch-size' in refused(tool(*words, '--batch-size', 'auto'))
    two = ('predict', 'model.onnx', 'images/a', 'images/b', '--ray', 'auto', '--out', 'out')
    assert 'requires one INPUT, not 2' in refused(tool(*two))
    Path('empty').mkdir()
    none = ('predict', 'model.onnx', 'empty', '--ray', 'auto', '--out', 'out')
    assert 'no image or video there' in refused(tool(*none))


# ------------------------------------------------------------------------ a real cluster

PATIENCE = 900
# In a process of its own, as Ray changes the environment of those that import it.
CLUSTER = """
import sys
from ray.cluster_utils import Cluster
settings = {'num_cpus': 1, 'object_store_memory': 200_000_000}
cluster = Cluster(True, head_node_args={**settings, 'include_dashboard': False})
cluster.add_node(**settings)
raylets = [node.all_processes['raylet'][0].process.pid for node in cluster.list_all_nodes()]
print(cluster.address, *raylets, flush=True)
sys.stdin.read()
cluster.shutdown()
"""
HOLDING = """
import sys
from vitbackbones.utils.cluster import claimed, connected
with connected(sys.argv[1]) as ray, claimed(ray, sys.argv[2]):
    print('holding', flush=True)
    sys.stdin.read()
"""


class Cluster(NamedTuple):
    """A cluster of two nodes, each with one core."""

    address: str
    raylets: list[str]

    def workers(self):
        """Return the processes of its actors."""
        found = []
        for raylet in self.raylets:
            words = ['pgrep', '-P', raylet, '-f', 'ray::MapWorker']
            found += subprocess.run(words, capture_output=True, text=True).stdout.split()
        return [int(number) for number in found]


@contextmanager
def process(*words):
    """Start a program of Python; end it behind the block by closing its input, or by force."""
    pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT}
    with subprocess.Popen([sys.executable, *words], text=True, **pipes) as started:
        try:
            yield started
            started.stdin.close()
            started.wait(PATIENCE)
        finally:
            started.kill()


@pytest.fixture(scope='module')
def cluster():
    if find_spec('ray') is None:
        pytest.skip('no Ray here')
    with process('-c', CLUSTER) as started:
        for line in started.stdout:
            address, *raylets = line.split() or ['']
            if len(raylets) == 2 and ':' in address:
                yield Cluster(address, raylets)
                break


def job(cluster, *arguments):
    words = ['-m', 'vitbackbones', *ON_RAY[:3], '--ray', cluster.address, '--shard-size', '1']
    return process(*words, '--out', 'out', *arguments)


def wait_for(number, started):
    """Wait until there are so many shards, or the job has ended."""
    limit = time.monotonic() + PATIENCE
    while len([*Path('out').glob('part-*')]) < number and started.poll() is None:
        assert time.monotonic() < limit
        time.sleep(0.05)


@pytest.fixture
def many(place):
    """Forty more pictures."""
    for i in range(40):
        Image.new('RGB', (8, 8), (6 * i, 90, 90)).save(place / 'images' / f'{i}.png')


@pytest.mark.crash
def test_killed_workers_and_drivers_lose_nothing_and_write_nothing_twice(cluster, many, alone):
    with job(cluster) as first:
        wait_for(2, first)
        for number in cluster.workers():
            with suppress(ProcessLookupError):  # it has ended by itself
                os.kill(number, signal.SIGKILL)
        wait_for(15, first)
        first.kill()
        first.wait()
    with job(cluster, '--resume') as again:
        said = again.stdout.read()
    assert again.returncode == 0, said
    assert '52 shards in file://' in said
    assert '1 image unreadable' in said
    assert union('out') == alone


@pytest.mark.crash
def test_two_jobs_of_a_cluster_do_not_write_to_one_folder(cluster, place):
    address = (place / 'out').as_uri()
    with process('-c', HOLDING, cluster.address, address) as other:
        while 'holding' not in (line := other.stdout.readline()):
            assert line
        with job(cluster) as second:
            said = second.stdout.read()
        assert second.returncode == 2, said
        assert f'error: {address}: another job of this cluster writes there' in said
