"""Trains the runs of a study that are not finished, and writes its tables and its figure."""

import os
import shlex
import subprocess
import sys
import time
from argparse import Namespace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from mmengine.config import Config

from vitbackbones.configuration.data_paths import locate_data
from vitbackbones.errors import InputError
from vitbackbones.preparing.agreement import unmeasured
from vitbackbones.preparing.trial import build_model, try_model
from vitbackbones.running.train import read_settings
from vitbackbones.tasks import find_task
from vitbackbones.training.cores import available_cores
from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks.evaluation import CORRECT
from vitbackbones.utils.cluster import run_logged, run_tasks
from vitbackbones.utils.files import as_csv, folder_lock, prepare_folder, whole_file, write_file
from vitbackbones.utils.messages import shorten

from .picture import draw
from .study import Run, Study, read_study
from .table import Record, Variant, bootstrap, markdown, table

PROGRAM = [sys.executable, str(Path(__file__).resolve().parents[1] / 'train.py')]
POLL = 0.2  # seconds between two looks at the runs
REGISTERED = 'preregistered.txt'  # what the first run was to show


def compare(options: Namespace) -> None:
    """Do what ``python tools/compare.py --help`` describes.

    Raises:
        InputError: something of the user's is wrong, before the first run where possible; or runs
            have failed.
    """
    study = read_study(options.study)
    base = study.base_config()
    parameters = {
        variant.name: _checked(study, base, variant, options) for variant in study.variants.values()
    }
    folder = Path(options.work_dir, study.name).expanduser().absolute()
    choosing = study.runs(base, folder)
    rates = dict.fromkeys(study.variants) | study.chosen_rates(choosing)
    runs = study.runs(base, folder, rates)
    first = _commands(choosing, options)
    later = _commands(runs, options)
    to_go = len(first) + len(later)
    total = len(choosing) + len(runs)
    print(f'{study.name}: {to_go} of {total} runs to go', flush=True)
    if options.dry_run:
        print(*map(shlex.join, [*first.values(), *later.values()]), sep='\n')
        return
    places = _places(options)
    prepare_folder(folder, '--work-dir')
    with folder_lock(folder, '--work-dir'):
        note = _register(study, folder, begun=to_go < total)
        try:
            train = (
                partial(_train_on, options.ray) if options.ray else partial(_train, places=places)
            )
            failed = train(first)
            rates = study.chosen_rates(choosing)
            runs = study.runs(base, folder, rates)
            failed += train(_commands(runs, options))
        finally:
            _write_tables(study, [*choosing, *runs], parameters, folder, note)
    if failed:
        without = study.variants.keys() - rates
        raise InputError(
            f'{len(failed)} of {total} runs failed: {shorten(failed)}; their logs are listed '
            'above. '
            + (
                f'Not trained, because no learning rate was found: {shorten(sorted(without))}. '
                if without
                else ''
            )
            + 'Run the same command to try again'
        )


def _register(study: Study, folder: Path, begun: bool) -> str:
    """Write what the study expects before its first run; return what the table says of that."""
    file = folder / REGISTERED
    now = study.preregistration()
    if not file.is_file():
        write_file(file, b'not written then' if begun else now.encode())
    first = file.read_text()
    if first == now:
        return f'Design and expectations have not changed since the first run ({now}).'
    return f'**Design or expectations have changed since the first run** ({first}, now {now}).'


def _commands(runs: list[Run], options: Namespace) -> dict[Run, list[str]]:
    """Return what trains each run that is not finished."""
    commands = {}
    for run in runs:
        run.require_same_settings()
        if run.value() is None:
            commands[run] = [*PROGRAM, str(run.config), '--work-dir', str(run.folder)]
            commands[run] += ['--data-root', options.data_root] if options.data_root else []
            commands[run] += ['--resume'] if latest_checkpoint(run.folder) else []
    return commands


def _checked(study: Study, base: Config, variant: Variant, options: Namespace) -> int:
    """Take the steps of a training up to its data, and count the parameters of the model."""
    splits = ('train', 'val', 'test') if study.rates else ('train', 'val')
    try:
        config = read_settings(base, variant.options)
        try_model(config)
        config = locate_data(config, options.data_root, splits)
        if task := find_task(config):
            for finding in unmeasured(config, task, [study.metric]):
                raise InputError(f'metric: {finding}')
        return sum(each.numel() for each in build_model(config).parameters())
    except InputError as error:
        raise InputError(f'{study.file}: variant {variant.name!r}: {error}') from error


def _places(options: Namespace) -> list[dict[str, str]]:
    """Return environment variables for each run that goes on at the same time."""
    if options.gpus:
        seen = torch.cuda.device_count()  # fewer than the machine has, where a scheduler says so
        for number in options.gpus:
            if not 0 <= number < seen:
                raise InputError(
                    f'--gpus {number}: this process can use {seen} GPUs, numbered from 0'
                )
        names = os.environ.get('CUDA_VISIBLE_DEVICES') or ','.join(map(str, range(seen)))
        devices = [name.strip() for name in names.split(',')]
        return [{'CUDA_VISIBLE_DEVICES': devices[number]} for number in options.gpus]
    if options.jobs == 1 or 'OMP_NUM_THREADS' in os.environ:
        return [{}] * options.jobs
    return [{'OMP_NUM_THREADS': str(max(1, available_cores() // options.jobs))}] * options.jobs


def _train(commands: dict[Run, list[str]], places: list[dict[str, str]]) -> list[Run]:
    """Run the commands, one at a time at each place, and return the runs that failed.

    When this process is interrupted, the runs get SIGTERM and are waited for until they have saved
    what they must; a second Ctrl-C kills them.
    """
    waiting = list(commands)
    free = list(places)
    failed = []
    processes: dict[subprocess.Popen, tuple[Run, dict[str, str]]] = {}
    try:
        while waiting or processes:
            while waiting and free:
                run = waiting.pop(0)
                place = free.pop(0)
                write_file(run.config, run.text.encode())
                with open(run.log, 'ab') as log:
                    process = subprocess.Popen(
                        commands[run],
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        env={**os.environ, **place},
                        start_new_session=True,  # the terminal's Ctrl-C comes from here alone
                    )
                processes[process] = run, place
            time.sleep(POLL)
            for process in [each for each in processes if each.poll() is not None]:
                run, place = processes.pop(process)
                free.append(place)
                if not _has_value(run, process.returncode):
                    failed.append(run)
    except BaseException:
        for process in processes:
            process.terminate()
        try:
            for process in processes:
                process.wait()
        except KeyboardInterrupt:
            for process in processes:
                process.kill()
        raise
    return failed


def _train_on(cluster: str, commands: dict[Run, list[str]]) -> list[Run]:
    """Run the commands as tasks of a Ray cluster, and return the runs that failed."""
    for run in commands:
        write_file(run.config, run.text.encode())
    given = [(words, str(run.log)) for run, words in commands.items()]
    ended = zip(commands, run_tasks(cluster, run_logged, given), strict=True)
    return [run for run, status in ended if not _has_value(run, status)]


def _has_value(run: Run, status: int) -> bool:
    """Return whether a run that ended has succeeded, and say so."""
    value = run.value()
    if status or value is None:
        print(f'failed: {run} (exit status {status}), see {run.log}', file=sys.stderr)
        return False
    print(f'{run}: {run.metric} {value:.2f}', flush=True)
    return True


def _write_tables(
    study: Study, runs: list[Run], parameters: dict[str, int], folder: Path, note: str
) -> None:
    """Write tables and a picture of what is there, and print the table to read."""
    values = {run: run.value() for run in runs}
    done: dict[str, dict[int, Run]] = {name: {} for name in study.variants}
    for run in runs:
        if values[run] is not None and run.seed in study.seeds:
            done[run.variant][run.seed] = run
    records = []
    for name, variant in study.variants.items():
        own = done[name]
        theirs = done[variant.against]
        accuracies = {seed: values[run] for seed, run in own.items()}
        rate = next((run.rate for run in own.values()), None)
        interval = _over_pictures(own, theirs) if own is not theirs else None
        records.append(Record(variant, accuracies, parameters[name], rate, interval))
    rows = table(records, study.smallest_effect)
    text = f'{study.title}\n\n{study.metric}. Paper: {study.source}. {note}\n\n{markdown(rows)}\n'
    of_runs = [
        {'variant': run.variant, 'rate': run.rate, 'seed': run.seed, study.metric: value}
        for run, value in values.items()
    ]
    contents = {'table.md': text.encode(), 'table.csv': as_csv(rows), 'runs.csv': as_csv(of_runs)}
    for name, content in contents.items():
        write_file(folder / name, content)
    with whole_file(folder / 'study.png') as file:
        draw(records, study.metric, study.smallest_effect).savefig(file, format='png')
    print(f'\n{text}\nin {folder}')


def _over_pictures(own: dict[int, Run], theirs: dict[int, Run]) -> tuple[float, float] | None:
    """Return the interval of a difference by bootstrap, if each run noted its pictures."""
    seeds = sorted(own.keys() & theirs.keys())
    files = [[runs[seed].folder / CORRECT for seed in seeds] for runs in (own, theirs)]
    if not seeds or not all(file.is_file() for file in sum(files, [])):
        return None
    return bootstrap(*(np.stack([np.load(file) for file in each]) for each in files))
