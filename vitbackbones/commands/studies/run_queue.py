"""Runs in processes of their own, several at once, each with its share of the machine."""

import os
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

POLL = 0.2  # seconds between two looks at the processes

Task = TypeVar('Task')


@dataclass(frozen=True)
class Job(Generic[Task]):
    """A command to run.

    Attributes:
        task: what it is for.
        command: program and arguments.
        log: file to which its output is appended.
    """

    task: Task
    command: list[str]
    log: Path


def run_jobs(
    jobs: Iterable[Job],
    places: list[dict[str, str]],
    ended: Callable[[Job, int], Job | None],
) -> None:
    """Run all jobs, one at each place at a time.

    When this process is interrupted, it sends SIGTERM to the others and waits until they have saved
    what they must; a second Ctrl-C kills them.

    Args:
        jobs: in the order in which they start.
        places: environment variables for each process that runs at the same time.
        ended: is told each job that has ended, and its exit status; returns a job that
            is to follow at once, if there is one.
    """
    waiting, free, running = list(jobs), list(places), {}
    try:
        while waiting or running:
            while waiting and free:
                job, place = waiting.pop(0), free.pop(0)
                with open(job.log, 'ab') as log:
                    process = subprocess.Popen(
                        job.command,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        env={**os.environ, **place},
                        start_new_session=True,  # the terminal's Ctrl-C comes from here alone
                    )
                running[process] = job, place
            process = next((each for each in running if each.poll() is not None), None)
            if process is None:
                time.sleep(POLL)
                continue
            job, place = running.pop(process)
            free.insert(0, place)
            if (following := ended(job, process.returncode)) is not None:
                waiting.insert(0, following)
    except BaseException:
        _interrupt(running)
        raise


def _interrupt(processes: Iterable[subprocess.Popen]) -> None:
    for process in processes:
        process.terminate()
    try:
        for process in processes:
            process.wait()
    except KeyboardInterrupt:
        for process in processes:
            process.kill()
        raise
