"""A server under load: clients send pictures all the time, and compare each answer.

Pictures are those of Shapes in three sizes. The right answers are those of ``open_model`` in this
process, one picture at a time: scores may differ by 0.002, corners of objects by 0.5 pixels. wrong
counts answers that differ more, refused those with status 429, failed all others. Times are those
of answers with status 200; alone_ms is the median with one client. Memory is that of the server,
after a tenth of the time and at its end.
"""

import json
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np

from vitbackbones.data.shapes.writing import write
from vitbackbones.inference.open import OpenModel, open_model

from .command import Add, start

SIZES = ((128, 128), (320, 240), (640, 480))  # width and height of the files
LEAST = 0.1  # score of an object that is compared
LISTENING = 'listening on '


@dataclass(frozen=True)
class Sent:
    """A picture, and its right answer: a row (label, score, x, y, width, height) per object."""

    content: bytes
    objects: np.ndarray


@dataclass
class Load:
    """What clients have seen; ``status`` counts answers, 0 stands for a broken connection."""

    status: Counter = field(default_factory=Counter)
    wrong: int = 0
    seconds: list[float] = field(default_factory=list)


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for each number of clients."""
    with open_model(options.model) as model:
        sent = pictures(model, options.images)
    with served(options.model) as server:
        alone = under_load(server.address, sent, 1, min(10, options.seconds))
        for clients in options.clients:
            yield {
                'clients': clients,
                'alone_ms': round(1000 * float(np.median(alone.seconds)), 1),
                **measured(server, sent, clients, options.seconds),
            }


def pictures(model: OpenModel, number: int) -> list[Sent]:
    """Return ``number`` pictures of each size with the answers of a model."""
    sent = []
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder, 'shapes'), train=1, val=number)
        for file in sorted(Path(folder, 'shapes/images/val').iterdir()):
            for size in SIZES:
                enlarged = cv2.resize(cv2.imread(str(file)), size)
                content = cv2.imencode('.jpg', enlarged)[1].tobytes()
                decoded = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
                objects = model.predict(decoded)[0].to_coco()
                sent.append(Sent(content, as_rows(objects)))
    return sent


def as_rows(objects: Sequence[dict]) -> np.ndarray:
    """Return objects in COCO's form as rows (label, score, x, y, width, height)."""
    listed = [[each['category_id'], each['score'], *each['bbox']] for each in objects]
    return np.array(listed, float).reshape(-1, 6)


def is_right(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Return whether each of the sure objects is found, and no more of them."""
    if len(found) != len(wanted):
        return False
    limits = np.array([0, 0.002, 0.5, 0.5, 0.5, 0.5])
    for here, there in ((found, wanted), (wanted, found)):
        for row in here[here[:, 1] >= LEAST]:
            if not (abs(there - row) <= limits).all(1).any():
                return False
    return True


@dataclass(frozen=True)
class Server:
    """A running server."""

    address: str
    process: int

    def memory(self) -> int:
        """Return its memory in MB."""
        lines = Path(f'/proc/{self.process}/status').read_text().splitlines()
        (line,) = (line for line in lines if line.startswith('VmRSS:'))
        return int(line.split()[1]) // 1024


@contextmanager
def served(model: str) -> Iterator[Server]:
    """Serve a model in another process."""
    words = [sys.executable, '-m', 'vitbackbones', 'serve', model, '--port', '0']
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            if line.startswith(LISTENING):
                yield Server(line.removeprefix(LISTENING).strip(), process.pid)
                break
    finally:
        process.terminate()
        process.wait()


def measured(server: Server, sent: Sequence[Sent], clients: int, seconds: float) -> dict:
    """Return what a number of clients see for a time."""
    before = under_load(server.address, sent, clients, seconds / 10)
    memory = server.memory()
    seen = under_load(server.address, sent, clients, seconds)
    quantiles = np.quantile(seen.seconds, [0.5, 0.95]) * 1000
    answered = len(seen.seconds)
    return {
        'answers': answered,
        'wrong': before.wrong + seen.wrong,
        'refused': seen.status[429],
        'failed': seen.status.total() - answered - seen.status[429],
        'per_s': round(answered / seconds, 1),
        'p50_ms': round(quantiles[0], 1),
        'p95_ms': round(quantiles[1], 1),
        'mb_before': memory,
        'mb_after': server.memory(),
    }


def under_load(address: str, sent: Sequence[Sent], clients: int, seconds: float) -> Load:
    """Let clients send pictures one after the other for a time."""
    end = time.monotonic() + seconds
    seen = Load()

    def ask(client: int) -> None:
        connection = HTTPConnection(urlsplit(address).netloc, timeout=60)
        order = np.random.default_rng(client)
        while time.monotonic() < end:
            one(connection, sent[order.integers(len(sent))], seen)
        connection.close()

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(ask, range(clients)))
    return seen


def one(connection: HTTPConnection, picture: Sent, seen: Load) -> None:
    """Send a picture and note what comes back."""
    begin = time.perf_counter()
    try:
        connection.request('POST', '/predict', picture.content)
        reply = connection.getresponse()
        text = reply.read()
    except OSError:
        connection.close()  # the next request opens it again
        seen.status[0] += 1
        return
    seen.status[reply.status] += 1
    if reply.status != 200:
        return
    seen.seconds.append(time.perf_counter() - begin)
    seen.wrong += not is_right(as_rows(json.loads(text)['objects']), picture.objects)


def add_load(add: Add) -> None:
    add('model', metavar='MODEL', help='a detector: a config with weights, or an exported file')
    add('--clients', nargs='+', type=int, default=[1, 32], metavar='N', help='(default: 1 32)')
    add('--seconds', type=float, default=120, metavar='S', help='of each row (default: 120)')
    add('--images', type=int, default=8, metavar='N', help='pictures of a size (default: 8)')


if __name__ == '__main__':
    start(__doc__, rows, add_load)
