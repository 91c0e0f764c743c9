"""``vitbackbones audit``: find labels that are likely to be wrong, by training."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...analysis.run_log import records
from ...audit.boxes import SHARE, of_boxes
from ...audit.duplicates import near_duplicates, perceptual_hashes
from ...audit.listing import LIST, for_review, write_lists
from ...audit.outlines import with_outlines
from ...audit.page import SHOWN, sections
from ...audit.picking import pick
from ...audit.regions import of_masks
from ...audit.suspicion import Suspicion
from ...configuration.read import read_config
from ...data.loading.image_file import IMAGES
from ...data.own.folder import files_below, in_words
from ...data.own.pairing import Patterns
from ...data.own.pool import Pool, find_pool
from ...drawing.sheet import spread
from ...errors import InputError
from ...preparing.own_data import meant_files
from ...reports.page import Section, Table, made_by, write_page
from ...running.request import words_of
from ...tasks.predictor import Predictor
from ...training.cores import available_cores
from ...training.distributed import choose_device
from ...training.find_checkpoint import latest_checkpoint
from ...utils.cluster import run_tasks
from ...utils.files import as_csv, folder_lock, prepare_folder, require_apart, write_file
from ...utils.messages import command_line, did_you_mean_path, plural
from .audit_plan import PLAN, Audit, Plan, make_plan, read_plan
from .folds import DETECTOR, INSTANCE, SEGMENTOR, Given, Quick, of_config, run_of

PAGE = 'audit.html'
PICKED = 'pick.csv'
PARTS = {'quarter': 0.25, 'half': 0.5, 'all': 1.0}
GAIN = 0.03  # of the metric, by which the last doubling must raise it to be worth another one
KNOWN = 500  # labeled pictures that those to be picked are to be unlike
# likelihoods below which nothing is said; that of boxes is the share of faults that is assumed
LEAST_OF_BOXES = SHARE
LEAST_OF_REGIONS = 0.2
SURE = 0.2  # likelihood that the first of the list has where models have learned something


class Judged(NamedTuple):
    """The labels that may be wrong, and the highest likelihood of all labels."""

    listed: list[Suspicion]
    best: float


class Unlabeled(NamedTuple):
    """How many images are to be picked, and from which."""

    number: int
    files: list[Path]


def audit(options: Namespace) -> None:
    """Do what ``vitbackbones audit --help`` describes.

    Raises:
        InputError: there are no labeled pictures, too few of them, or nothing is learned.
    """
    job = _job(options)
    prepare_folder(job.out, '--out')
    with folder_lock(job.out, '--out'):
        groups = _duplicates(job.pool)
        unlabeled = _unlabeled(job.pool, options.pick) if options.pick else None
        plan = make_plan(job, groups)
        lowest = _train(job, plan, options.ray)
        judged = _judge(job, plan)
        curve = [_curve(job, plan)] if options.curve else []
        chosen = words_of(meant_files(options))
        page = _write(job, groups, judged, curve, _accepted(job, chosen))
        if unlabeled:
            _pick(job, unlabeled)
    _say_what_was_found(job, judged, page)
    _say_what_is_next(job, judged, lowest, chosen)


def _job(options: Namespace) -> Audit:
    """Look into the folder.

    Raises:
        InputError: it holds no labeled pictures, or too few of them.
    """
    root = Path(options.folder).expanduser().absolute()
    out = Path(options.out or f'work_dirs/audit_{root.name}').expanduser().absolute()
    if not root.is_dir():
        raise InputError(f'{root}: no such folder{did_you_mean_path(root)}')
    require_apart(out, '--out', root, around=False)
    pool = find_pool(root, options.annotations, Patterns.of(options.pictures, options.masks))
    number = plural(len(pool.files), 'image')
    if not 2 <= options.folds <= len(pool.files) / 2:
        raise InputError(
            f'--folds {options.folds}: there are {number} in {root}; use at least two folds '
            'with at least two images in each'
        )
    print(f'{in_words(pool.classes)}; {number} in {root}')
    begun = read_plan(out / PLAN)
    outlined = with_outlines(pool) if pool.content else pool
    quick = (INSTANCE if outlined.outlined else DETECTOR) if pool.content else SEGMENTOR
    if quick is INSTANCE and begun and 'config' not in begun:  # of 1.0, which audited boxes alone
        quick = DETECTOR
    if options.config:
        quick = of_config(options.config, bool(pool.content))
    if quick.draws and not outlined.outlined:
        raise InputError(
            f'--config {options.config}: learns outlines of objects, but most labels in {root} '
            'have only boxes; use a config for boxes'
        )
    pool = outlined if quick.draws else pool
    return Audit(root, pool, quick, out, options.folds, options.minutes)


def _duplicates(pool: Pool) -> list[list[int]]:
    """Return the rows of near duplicates, group by group."""
    groups = near_duplicates(perceptual_hashes(pool.files, available_cores()))
    leaks = sum(len({pool.splits[row] for row in each}) > 1 for each in groups)
    print(f'{plural(len(groups), "group")} of near duplicates, {leaks} of them across splits')
    return groups


def _train(job: Audit, plan: Plan, cluster: str | None) -> float:
    """Train a model for each fold; return the lowest metric, at most that of a good model.

    Raises:
        InputError: next to nothing was learned, or the cluster cannot be reached.
    """
    given = [(job.quick, job.folder(number), plan.length) for number in range(job.folds)]
    if cluster:
        minutes = plural(max(round(plan.seconds / 60), 1), 'minute')
        print(f'{job.folds} folds on {cluster}, about {minutes} for each', flush=True)
    coming = run_tasks(cluster, Quick.train, given) if cluster else _one_by_one(job, plan)
    lowest = job.quick.good
    for number, reached in enumerate(coming, start=1):
        print(f'fold {number} of {job.folds}: {job.quick.metric} {reached}', flush=True)
        if reached is None or reached < job.quick.least:
            overfit = ['--data-root', job.root, '--overfit', 8]
            raise InputError(
                f'{job.root}: the models learned almost nothing in {plan.steps} steps, so the '
                'labels cannot be judged. Train longer with --minutes, or find the reason with: '
                + command_line('train', job.quick.config, *overfit)
            )
        lowest = min(lowest, reached)
    return lowest


def _one_by_one(job: Audit, plan: Plan) -> Iterator[float | None]:
    """Train the models of the folds here, and yield the metric of each."""
    for number in range(job.folds):
        say = partial(_say_time, job, plan, number)
        yield job.quick.train(job.folder(number), plan.length, say)


def _say_time(job: Audit, plan: Plan, number: int) -> None:
    """Print how long the folds from one on still take, at the speed of its training."""
    last = {'step': 0, 'time': plan.seconds / plan.steps}
    for each in records(run_of(job.folder(number))):
        last |= each if 'loss' in each else {}
    steps = plan.steps * (job.folds - number) - last['step']
    minutes = plural(max(round(steps * last['time'] / 60), 1), 'minute')
    print(f'fold {number + 1} of {job.folds}, about {minutes} left', flush=True)


def _judge(job: Audit, plan: Plan) -> Judged:
    """Compare what the models have found with the labels."""
    files = [job.quick.found(job.folder(number)) for number in range(job.folds)]
    if job.pool.content:
        found = of_boxes(job.pool, plan.fold, files)
        least = LEAST_OF_BOXES
    else:
        found = of_masks(job.pool, files)
        least = LEAST_OF_REGIONS
    best = max((each.likelihood for each in found), default=0.0)
    return Judged([each for each in found if each.likelihood >= least], best)


def _accepted(job: Audit, chosen: Sequence[str]) -> str:
    """Return the command that applies what was accepted."""
    words = ['import', 'corrections', 'corrections.json', job.root, 'CORRECTED', *chosen]
    return command_line(*words)


def _write(
    job: Audit, groups: list[list[int]], judged: Judged, curve: list[Section], command: str
) -> Path:
    """Write the lists and the page; return the page."""
    content = write_lists(job.out, job.pool, judged.listed)
    return write_page(
        job.out,
        f'Audit of {job.root.name}',
        None,
        [*sections(job.pool, groups, judged.listed), *curve],
        {'dataset': str(job.root), 'images': str(len(job.pool.files)), **made_by()},
        PAGE,
        for_review(content, SHOWN, command) if judged.listed else None,
    )


def _say_what_was_found(job: Audit, judged: Judged, page: Path) -> None:
    sure = f' (highest likelihood {judged.best:.2f})' if judged.listed else ''
    places = f'{plural(len(judged.listed), "place")} where a label may be wrong{sure}'
    print(f'{places}: {job.out / LIST}; page: {page}')


def _say_what_is_next(job: Audit, judged: Judged, lowest: float, chosen: Sequence[str]) -> None:
    if judged.listed:
        print(
            'open the page, accept or reject each suggestion, and save corrections.json. Then run:'
        )
        print(_accepted(job, chosen))
    if judged.best < SURE and lowest < job.quick.good:
        again = ['--minutes', f'{3 * job.minutes:g}', '--out', f'{job.out}_longer']
        again += ['--config', job.quick.config] if isinstance(job.quick, Given) else []
        print(
            f'the highest likelihood is {judged.best:.2f}, and {job.quick.metric} is '
            f'{lowest:.2f}: the models are too weak to judge these labels. Train longer:',
            command_line('audit', job.root, *again, *chosen),
        )


def _curve(job: Audit, plan: Plan) -> Section:
    """Train on a quarter and a half of the pictures of the first fold, and compare with all."""
    metric = job.quick.metric
    rows = np.random.default_rng(0).permutation(np.flatnonzero(plan.fold != 0))
    table = []
    for name, part in PARTS.items():
        used = max(int(part * len(rows)), 1)
        folder = job.folder(0)
        if part < 1:
            folder = job.out / name
            chosen = {'train': np.sort(rows[:used]), 'val': np.flatnonzero(plan.fold == 0)}
            job.pool.write_part(folder, job.out, chosen)
        reached = job.quick.train(folder, plan.length) or 0.0
        table.append([name, used, reached])
        print(f'{name:>8}  {used:>6} images  {metric} {reached:.3f}')
    *_, half, whole = (row[2] for row in table)
    helps = 'more images help' if whole - half > GAIN * whole else 'more images hardly help'
    text = f'{helps}: the second half of the images raised {metric} by {whole - half:.3f}'
    print(text)
    head = ['training images', 'number', metric]
    return Section('Would more images help?', [Table(head=head, rows=table)], f'{text}.')


def _unlabeled(pool: Pool, given: Sequence[str]) -> Unlabeled:
    """Read ``--pick N FOLDER``, and leave out what is labeled already.

    Raises:
        InputError: there is nothing to pick.
    """
    number = given[0]
    root = Path(given[1]).expanduser().absolute()
    files = sorted(files_below(root, IMAGES)) if root.is_dir() else []
    if not number.isdecimal() or not int(number) or not files:
        raise InputError(f'--pick {number} {root}: must be a number and a folder of images')
    known = len(pool.files)
    groups = near_duplicates(perceptual_hashes([*pool.files, *files], available_cores()))
    labeled = {row for each in groups if each[0] < known for row in each}
    new = [file for row, file in enumerate(files, known) if row not in labeled]
    if len(new) < len(files):
        print(f'{len(files) - len(new)} of {len(files)} images of {root} are already labeled')
    if not new:
        raise InputError(f'--pick {number} {root}: all images there are already labeled')
    return Unlabeled(int(number), new)


def _pick(job: Audit, unlabeled: Unlabeled) -> None:
    """Write which files are to be labeled next."""
    run = run_of(job.folder(0))
    config = read_config(next(run.glob('*.py')))
    predictor = Predictor(config, latest_checkpoint(run), choose_device(None))
    files = job.pool.files
    known = [files[row] for row in spread(len(files), KNOWN)]
    chosen = pick(predictor, known, unlabeled.files, unlabeled.number)
    rows = [{'file': str(file), 'doubt': f'{doubt:.3f}'} for file, doubt in chosen]
    write_file(job.out / PICKED, as_csv(rows))
    print(f'{plural(len(rows), "image")} to label next: {job.out / PICKED}')
