"""``vitbackbones compare``: train the variants of a study and set them beside a paper's numbers."""

import os
import shlex
import statistics
import sys
from argparse import ArgumentParser, Namespace
from math import isnan, nan
from pathlib import Path

import torch
from mmengine.config import Config

from ...configuration.checks.agreement import unmeasured
from ...configuration.checks.trial import build_model
from ...configuration.common_steps import TRIAL
from ...configuration.data_paths import locate_data
from ...configuration.steps import Step, take_steps
from ...errors import InputError
from ...results.analysis.run_log import step_seconds
from ...results.analysis.study_table import Record, csv_text, markdown, table
from ...tasks import find_task
from ...training.cores import available_cores
from ...utils.files import folder_lock, prepare_folder, write_file
from ...utils.messages import shorten
from ..cli import add_shared, count
from ..train import READ
from .run_queue import Job, run_jobs
from .study import Study, Variant, read_study
from .study_runs import Run, study_runs

CHECKS = (
    *READ,
    TRIAL,
    Step(
        'data',
        'the files are there (--data-root)',
        lambda config, options: locate_data(config, options.data_root, ('train', 'val')),
    ),
)


EXAMPLES = """\
examples:
  %(prog)s configs/studies/shortcut.py --dry-run
  %(prog)s configs/studies/shortcut.py --jobs 2
  %(prog)s configs/studies/shortcut.py --gpus 0 1 2 3

A study (vitbackbones/commands/studies/study.py) names a base config, variants of it, seeds and
the numbers of a paper. Every variant is checked and built before the first run. Each run is a
training in a process and a folder of its own. The same command goes on after Ctrl-C or a failure:
finished runs are kept, begun ones are resumed. The table (table.md, table.csv, runs.csv) has what
is there.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add('study', metavar='STUDY', help='a file such as those of configs/studies/')
    add(
        '--work-dir',
        default='work_dirs/studies',
        metavar='DIR',
        help='runs go to DIR/STUDY/VARIANT/seed_N (default: %(default)s)',
    )
    add_shared(add, '--data-root')
    places = parser.add_mutually_exclusive_group()
    places.add_argument(
        '--gpus',
        nargs='+',
        type=int,
        metavar='N',
        help='one run at a time on each; numbers from 0 of the GPUs that this process may use',
    )
    places.add_argument(
        '--jobs',
        type=count,
        default=1,
        metavar='N',
        help='runs at the same time; on a CPU they share its cores (default: 1)',
    )
    add('--dry-run', action='store_true', help='check everything, print what would run, and stop')


def compare(options: Namespace) -> None:
    """Do what ``vitbackbones compare --help`` describes.

    Raises:
        InputError: something of the user's is wrong, before the first run where possible; or runs
            have failed.
    """
    study = read_study(options.study)
    folder = Path(options.work_dir, study.name).expanduser().absolute()
    parameters, runs = _checked_runs(study, folder, options)
    commands = {run: _training(run, options) for run in runs if run.value() is None}
    print(f'{study.name}: {len(commands)} of {len(runs)} runs to go', flush=True)
    if options.dry_run:
        print(*map(shlex.join, commands.values()), sep='\n')
        return
    places = _places(options)
    prepare_folder(folder, '--work-dir')
    with folder_lock(folder, '--work-dir'):
        try:
            failed = _train(commands, places, options)
        finally:
            _write_tables(study, runs, parameters, folder)
    if failed:
        raise InputError(
            f'{len(failed)} of {len(runs)} runs failed: {shorten(failed)}; their logs are named '
            'above. The same command tries them again'
        )


# ------------------------------------------------------------------------ before the first run


def _checked_runs(
    study: Study, folder: Path, options: Namespace
) -> tuple[dict[str, int], list[Run]]:
    """Check every variant and return the parameters of each, and all runs.

    Raises:
        InputError: the base or a variant cannot be trained, or was begun with other settings.
    """
    base = study.base_config()
    variants = study.variants.values()
    parameters = {variant.name: _check(study, base, variant, options) for variant in variants}
    runs = list(study_runs(study, base, folder))
    for run in runs:
        run.require_same_settings()
    return parameters, runs


def _check(study: Study, base: Config, variant: Variant, options: Namespace) -> int:
    """Take the steps of a training up to its data, and count the parameters of the model.

    Raises:
        InputError: names the variant that cannot be trained, and why.
    """
    given = Namespace(cfg_options=variant.options, amp=False, data_root=options.data_root)
    try:
        config = take_steps(base, CHECKS, given)
        _require_metric(config, study.metric)
        return sum(each.numel() for each in build_model(config).parameters())
    except InputError as error:
        raise InputError(f'{study.file}: variant {variant.name!r}: {error}') from error


def _require_metric(config: Config, metric: str) -> None:
    """Refuse a study whose runs would end without its metric.

    Raises:
        InputError: no evaluator measures it.
    """
    task = find_task(config)
    if task and (findings := list(unmeasured(config, task, [metric]))):
        raise InputError(f'metric: {findings[0]}')


def _training(run: Run, options: Namespace) -> list[str]:
    return run.training() + _data_root(options)


def _data_root(options: Namespace) -> list[str]:
    return ['--data-root', options.data_root] if options.data_root else []


# ------------------------------------------------------------------------ the runs


def _places(options: Namespace) -> list[dict[str, str]]:
    """Return environment variables for each run that goes on at the same time.

    Raises:
        InputError: a GPU of ``--gpus`` is not there.
    """
    if options.gpus:
        return [{'CUDA_VISIBLE_DEVICES': device} for device in _devices(options.gpus)]
    if options.jobs == 1 or 'OMP_NUM_THREADS' in os.environ:
        return [{}] * options.jobs
    return [{'OMP_NUM_THREADS': str(max(1, available_cores() // options.jobs))}] * options.jobs


def _devices(numbers: list[int]) -> list[str]:
    """Return CUDA's names of GPUs by their numbers among those that this process may use."""
    seen = torch.cuda.device_count()  # fewer than the machine has, where a scheduler says so
    if missing := [number for number in numbers if not 0 <= number < seen]:
        raise InputError(f'--gpus {missing[0]}: {seen} GPUs can be used here, numbered from 0')
    names = os.environ.get('CUDA_VISIBLE_DEVICES') or ','.join(map(str, range(seen)))
    return [names.split(',')[number].strip() for number in numbers]


def _train(
    commands: dict[Run, list[str]],
    places: list[dict[str, str]],
    options: Namespace,
) -> list[Run]:
    """Run the commands, evaluate what they left unevaluated, and return the runs that failed."""
    failed: list[Run] = []

    def ended(job: Job[Run], status: int) -> Job[Run] | None:
        run, value = job.task, job.task.value()
        if status == 0 and value is None and job.command == commands[run]:
            return Job(run, run.evaluation() + _data_root(options), run.log)
        if status or value is None:
            failed.append(run)
            print(f'failed: {run} (exit status {status}), see {run.log}', file=sys.stderr)
        else:
            print(f'{run}: {run.metric} {value:.2f}', flush=True)
        return None

    for run in commands:
        write_file(run.config, run.text.encode())
    jobs = [Job(run, command, run.log) for run, command in commands.items()]
    run_jobs(jobs, places, ended)
    return failed


# ------------------------------------------------------------------------ the table


def _write_tables(study: Study, runs: list[Run], parameters: dict[str, int], folder: Path) -> None:
    """Write the tables of what is there, and print the one to read."""
    records = [
        _record(variant, [run for run in runs if run.variant == variant.name], parameters)
        for variant in study.variants.values()
    ]
    rows = table(records)
    text = f'{study.title}\n\n{study.metric}. Paper: {study.source}.\n\n{markdown(rows)}\n'
    values = [{'variant': run.variant, 'seed': run.seed, study.metric: run.value()} for run in runs]
    contents = {'table.md': text, 'table.csv': csv_text(rows), 'runs.csv': csv_text(values)}
    for name, content in contents.items():
        write_file(folder / name, content.encode())
    print(f'\n{text}\nin {folder}')


def _record(variant: Variant, runs: list[Run], parameters: dict[str, int]) -> Record:
    """Return what is known of a variant from its runs."""
    values = {run.seed: value for run in runs if (value := run.value()) is not None}
    times = [seconds for run in runs if not isnan(seconds := step_seconds(run.folder))]
    return Record(
        variant.name,
        variant.against,
        values,
        variant.paper,
        variant.paper_against,
        parameters[variant.name],
        statistics.mean(times) if times else nan,
    )
