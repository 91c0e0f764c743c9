"""Connect to a Ray cluster, and pass on what goes wrong there."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..errors import InputError
from .messages import in_one_line
from .packages import import_optional

NAMESPACE = 'vitbackbones'
THREADS = ('OMP_NUM_THREADS', 'MKL_NUM_THREADS')  # as the user chose them, for equal bits
PATIENCE = 5  # seconds for a host to answer; Ray itself would wait for minutes


@contextmanager
def connected(address: str, option: str = '--ray') -> Iterator[ModuleType]:
    """Yield the module ray, connected to a cluster; disconnect behind the block.

    Args:
        address: ``'auto'`` for the cluster that this machine belongs to, ``'local'`` for one of
            this machine alone, or ``HOST:PORT`` or ``ray://HOST:PORT``.
        option: which gave it, for messages.

    Raises:
        InputError: Ray is not installed, the cluster cannot be reached, or a task there raised an
            ``InputError``.
    """
    ray = import_optional('ray', "'vitbackbones[ray]'")
    try:
        place = urlsplit(address if '://' in address else f'//{address}')
        if place.port:
            socket.create_connection((place.hostname, place.port), PATIENCE).close()
        ending = signal.getsignal(signal.SIGTERM)
        ray.init(address, namespace=NAMESPACE, ignore_reinit_error=True)
        signal.signal(signal.SIGTERM, ending)  # Ray's own would end the process at once
    except (OSError, ValueError, RuntimeError) as error:  # such as ConnectionError of 'auto'
        raise InputError(
            f'{option} {address}: no Ray cluster can be reached ({in_one_line(error, 200)}). Start '
            "one with 'ray start --head', or use 'local'"
        ) from error
    try:
        yield ray
    except Exception as error:  # Ray raises it in classes of its own, with a long text
        cause = getattr(error, 'cause', None) or error.__cause__
        if isinstance(cause, InputError):
            raise InputError(str(cause)) from error
        raise
    finally:
        ray.shutdown()


@contextmanager
def claimed(ray: ModuleType, name: str) -> Iterator[None]:
    """Let one job of a cluster work on what is named; Ray forgets it when the job ends.

    Raises:
        InputError: another job does.
    """

    class Claim:
        """Holds the name."""

    try:
        claim = ray.remote(num_cpus=0)(Claim).options(name=name).remote()
    except ValueError as error:
        raise InputError(f'{name}: another job of this cluster writes there') from error
    try:
        yield
    finally:
        ray.kill(claim)


class Share(NamedTuple):
    """What a task takes of a node, and how many such tasks run in the cluster at a time."""

    cores: float
    gpus: int
    tasks: int


def share_of(ray: ModuleType, on_gpus: bool) -> Share:
    """Return a share of one GPU, or of a whole node, whose cores one model keeps busy.

    Raises:
        InputError: no node has what a task takes.
    """
    nodes = [node['Resources'] for node in ray.nodes() if node['Alive']]
    nodes = [node for node in nodes if node.get('GPU' if on_gpus else 'CPU')]
    if not nodes:
        raise InputError(f'--ray: no node of the cluster has a {"GPU" if on_gpus else "core"}')
    if on_gpus:
        return Share(1, 1, int(sum(node['GPU'] for node in nodes)))
    cores = min(node['CPU'] for node in nodes)
    return Share(cores, 0, int(sum(node['CPU'] // cores for node in nodes)))


def run_tasks(address: str, function: Callable, arguments: Sequence[tuple]) -> Iterator[Any]:
    """Yield what a function returns for each of its arguments, in tasks of a cluster.

    A task that loses its node is started again, so what it writes must be where it can go on.

    Raises:
        InputError: see :func:`connected`; or a task raised it.
    """
    chosen = {name: os.environ[name] for name in THREADS if name in os.environ}
    with connected(address) as ray:
        share = share_of(ray, bool(ray.cluster_resources().get('GPU')))
        resources = {'num_cpus': share.cores, 'num_gpus': share.gpus}
        task = ray.remote(**resources, runtime_env={'env_vars': chosen})(function)
        for coming in [task.remote(*each) for each in arguments]:
            yield ray.get(coming)


def run_logged(words: Sequence[str], log: str) -> int:
    """Run a command, append what it prints to a file, and return its exit status."""
    with open(log, 'ab') as file:
        return subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        ).returncode
