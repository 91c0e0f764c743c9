"""Run an example of exact resuming in processes that are killed at random moments."""

import importlib
import logging
import multiprocessing
import os
import shutil
import signal
import socket
import time
import warnings
from contextlib import suppress

import torch
import torch._dynamo  # noqa: F401 -- seconds, which an optimizer's first step would take

from ..isolation import process_of_its_own

EXAMPLES = ('plain_torch', 'accelerate_run', 'lightning_run')
GRID = [(workers, processes) for workers in (0, 2, 4) for processes in (1, 2, 3)]
SAVED = '[ls][at][se]*[t0-9]'  # last.pt, last.ckpt or step_000001
PATIENCE = 120  # seconds until a run has hung


def _run(example, folder, workers, environment):
    """Be one of the processes of a run, quietly, in a process group with its data workers."""
    os.setpgrp()
    os.environ.update(environment)
    quiet = os.open(folder / f'rank_{environment.get("RANK", 0)}.log', os.O_CREAT | os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    logging.disable()
    warnings.simplefilter('ignore')
    torch.set_num_threads(1)
    importlib.import_module(f'examples.exact.{example}').main(folder, workers)


def start(example, folder, workers, processes):
    """Start the processes of a run as torchrun would; return them."""
    with process_of_its_own():  # Lightning sets variables
        importlib.import_module(f'examples.exact.{example}')  # once, before the fork
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    started = []
    for rank in range(processes):
        place = {'RANK': rank, 'LOCAL_RANK': rank, 'WORLD_SIZE': processes, 'MASTER_PORT': port}
        place |= {'LOCAL_WORLD_SIZE': processes, 'TORCHELASTIC_RUN_ID': 'none', 'GROUP_RANK': 0}
        place |= {'MASTER_ADDR': '127.0.0.1'}
        environment = {key: str(value) for key, value in place.items()} if processes > 1 else {}
        arguments = (example, folder, workers, environment)
        started.append(multiprocessing.get_context('fork').Process(target=_run, args=arguments))
        started[-1].start()
    return started


def complete(started):
    """Wait for a run to end by itself; return whether all of it went well."""
    end = time.monotonic() + PATIENCE
    for each in started:
        each.join(max(0, end - time.monotonic()))
    hung = any(each.is_alive() for each in started)
    kill(started)
    return not hung and all(each.exitcode == 0 for each in started)


def kill(started):
    """Kill processes, one after the other, with their data workers."""
    for each in started:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(each.pid, signal.SIGKILL)
        each.join()


def result(folder):
    """Return the bits of all that training has changed."""

    def leaves(value):
        if isinstance(value, torch.Tensor):
            return [value.numpy().tobytes()]
        if isinstance(value, dict):
            return [leaf for key in sorted(value, key=str) for leaf in (key, *leaves(value[key]))]
        return sum(map(leaves, value), []) if isinstance(value, list | tuple) else []

    for parts in (['last.pt'], ['last.ckpt'], ['optimizer.bin', 'model.safetensors']):
        files = [file for part in parts for file in sorted(folder.rglob(part))]
        if len(files) == len(parts):
            return [
                file.read_bytes() if file.suffix == '.safetensors' else leaves(torch.load(file))
                for file in files
            ]
    raise FileNotFoundError(folder)


def compare(folder, example, workers, processes, kills, choose):
    """Kill runs that have saved something, until ``kills`` have struck.

    Returns:
        For each run: its kills, and whether it ended with the bits of one that was left alone.
    """
    whole, stopped = folder / 'whole', folder / 'stopped'
    whole.mkdir(parents=True)
    began = time.monotonic()
    assert complete(start(example, whole, 0, processes)), (whole / 'rank_0.log').read_text()
    length, runs, sent = time.monotonic() - began, [], 0
    stopped.mkdir()
    while sum(each for each, _ in runs) < kills:
        started = start(example, stopped, workers, processes)
        enough = sum(each for each, _ in runs) + sent >= kills
        if not enough:
            while started[0].is_alive() and not any(stopped.glob(SAVED)):
                time.sleep(0.01)
            started[0].join(choose.uniform(0, 0.6) * length)
        if not enough and all(each.is_alive() for each in started):
            choose.shuffle(started)
            kill(started)
            sent += 1
            continue
        if not complete(started):
            raise RuntimeError((stopped / 'rank_0.log').read_text())
        runs.append((sent, result(stopped) == result(whole)))
        sent = 0
        shutil.rmtree(stopped)
        stopped.mkdir()
    return runs
