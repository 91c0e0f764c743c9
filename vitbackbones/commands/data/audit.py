"""``vitbackbones audit``: what models that have not seen a picture say of its labels.

Near duplicates are looked for first. Then the pictures are dealt out into folds, and a quick model
is trained for each on the others. What these find on the pictures that they have not seen is
compared with the labels. All of it is in one folder; the same command goes on where it was stopped.
"""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from ...audit.boxes import SHARE, of_boxes
from ...audit.listing import LIST, write_lists
from ...audit.page import sections
from ...audit.picking import pick
from ...audit.regions import of_masks
from ...configuration.read import read_config
from ...configuration.settings import as_list
from ...data.checks.duplicates import near_duplicates, perceptual_hashes
from ...data.loading.image_file import IMAGES
from ...data.own.folder import files_below, in_words
from ...data.own.patterns import Patterns
from ...data.own.pool import Pool, deal, find_pool
from ...drawing.sheet import spread
from ...errors import InputError
from ...reports.elements import Section, Table
from ...reports.page import made_by, write_page
from ...tasks.predictor import Predictor, choose_device
from ...training.cores import available_cores
from ...training.find_checkpoint import latest_checkpoint
from ...utils.files import as_csv, folder_lock, prepare_folder, read_json, require_apart, write_file
from ...utils.messages import plural
from ...utils.verbs import command_line
from ..cli import FILE_OPTIONS, add_shared, count, meant_files, size
from .folds import DETECTOR, MOST, SEGMENTOR, Quick, run_of

EXAMPLES = """\
examples:
  %(prog)s my_pictures                      which labels are likely to be wrong
  %(prog)s my_pictures --minutes 30         longer training: more is found, and less in vain
  %(prog)s my_pictures --curve              would more pictures help
  %(prog)s my_pictures --pick 50 UNLABELED  which pictures to label next

The list is OUT/faults.json, in COCO's format. Take out what is no fault, and
  vitbackbones import corrections OUT/faults.json my_pictures CORRECTED
"""
PLAN, PAGE, PICKED = 'plan.json', 'audit.html', 'pick.csv'
PARTS = {'quarter': 0.25, 'half': 0.5, 'all': 1.0}
GAIN = 0.03  # of the metric, by which the last doubling must raise it to be worth another one
KNOWN = 500  # labeled pictures that those to be picked are to be unlike
# likelihoods below which nothing is said; that of boxes is the share of faults that is assumed
LEAST_OF_BOXES, LEAST_OF_REGIONS = SHARE, 0.2
SURE = 0.2  # likelihood that the first of the list has where models have learned something


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add('folder', metavar='FOLDER', help='with pictures and boxes, or masks, as --data-root takes')
    add_shared(add, *FILE_OPTIONS)
    add('--out', metavar='OUT', help='where all of it goes (default: work_dirs/audit_FOLDER)')
    add('--folds', type=count, default=3, metavar='K', help='models to train (default: 3)')
    long = 'of training, all folds together, about (default: 20)'
    add('--minutes', type=size, default=20, metavar='M', help=long)
    after = parser.add_mutually_exclusive_group()
    curve = 'train on a quarter and a half of the pictures, too, and say whether more would help'
    after.add_argument('--curve', action='store_true', help=curve)
    pick = 'list the N pictures of FOLDER that are to be labeled next'
    after.add_argument('--pick', nargs=2, metavar=('N', 'FOLDER'), help=pick)


def audit(options: Namespace) -> None:
    """Do what ``vitbackbones audit --help`` describes.

    Raises:
        InputError: there are no labeled pictures, too few of them, or nothing is learned.
    """
    root = Path(options.folder).expanduser().absolute()
    out = Path(options.out or f'work_dirs/audit_{root.name}').expanduser().absolute()
    if not root.is_dir():
        raise InputError(f'{root}: no such folder')
    require_apart(out, '--out', root, around=False)
    pool = find_pool(root, options.annotations, Patterns.of(options.pictures, options.masks))
    number = plural(len(pool.files), 'picture')
    if not 2 <= options.folds <= len(pool.files) / 2:
        raise InputError(
            f'--folds {options.folds}: {number} in {root}; there must be two folds or more, with '
            'two pictures or more in each'
        )
    print(f'{in_words(pool.classes)}; {number} in {root}')
    prepare_folder(out, '--out')
    quick = DETECTOR if pool.content else SEGMENTOR
    with folder_lock(out, '--out'):
        groups = near_duplicates(perceptual_hashes(pool.files, available_cores()))
        leaks = sum(len({pool.splits[row] for row in each}) > 1 for each in groups)
        print(f'{plural(len(groups), "group")} of near duplicates, {leaks} of them across splits')
        wanted = _unlabeled(pool, options.pick) if options.pick else None
        fold, steps = _plan(pool, groups, quick, out, options)
        lowest = quick.good
        for number in range(options.folds):
            reached = quick.train(out / f'fold_{number}', steps)
            print(f'fold {number + 1} of {options.folds}: {quick.metric} {reached}', flush=True)
            if reached is None or reached < quick.least:
                raise InputError(
                    f'{root}: next to nothing was learned in {steps} steps, so nothing can be said '
                    'of the labels. This looks for the reason: '
                    + command_line('train', quick.config, '--data-root', root, '--overfit', 8)
                )
            lowest = min(lowest, reached)
        files = [quick.found(out / f'fold_{number}') for number in range(options.folds)]
        listed = of_boxes(pool, fold, files) if pool.content else of_masks(pool, files)
        least = LEAST_OF_BOXES if pool.content else LEAST_OF_REGIONS
        best = max((each.likelihood for each in listed), default=0.0)
        listed = [each for each in listed if each.likelihood >= least]
        curve = [_curve(pool, fold, quick, steps, out)] if options.curve else []
        write_lists(out, pool, listed)
        page = write_page(
            out,
            f'Audit of {root.name}',
            None,
            [*sections(pool, groups, listed), *curve],
            {'data set': str(root), 'pictures': str(len(pool.files)), **made_by()},
            PAGE,
        )
        if wanted:
            _pick(pool, quick, out, *wanted)
    sure = f' (the likeliest {best:.2f})' if listed else ''
    places = f'{plural(len(listed), "place")} where a label may be wrong{sure}'
    print(f'{places}: {out / LIST}; page: {page}')
    given = {f'--{name}': files for name, files in meant_files(options).items() if files}
    chosen = [word for name, files in given.items() for word in (name, *as_list(files))]
    accepted = ['import', 'corrections', out / LIST, root, 'CORRECTED', *chosen]
    if listed:
        print('after a look:', command_line(*accepted))
    if best < SURE and lowest < quick.good:
        again = ['--minutes', f'{3 * options.minutes:g}', '--out', f'{out}_longer']
        print(
            f'the likeliest has a likelihood of {best:.2f}, and {quick.metric} is {lowest:.2f}: '
            'the models know too little to judge these labels. Train longer:',
            command_line('audit', root, *again, *chosen),
        )


def _plan(
    pool: Pool, groups: list[list[int]], quick: Quick, out: Path, options: Namespace
) -> tuple[np.ndarray, int]:
    """Write the folders of the folds; return the fold of each picture, and how long to train.

    Raises:
        InputError: ``out`` holds an audit of other pictures, labels or folds.
    """
    labels = [(str(file), pool.digest(row)) for row, file in enumerate(pool.files)]
    plan = {'labels': sha256(json.dumps(labels).encode()).hexdigest(), 'folds': options.folds}
    plan['minutes'] = options.minutes
    begun = _begun(out / PLAN)
    if begun and begun | plan != begun:
        raise InputError(
            f'--out {out}: holds an audit of other pictures, labels, folds or minutes; choose '
            'another folder, or remove it'
        )
    fold = deal(groups, pool.rarest(), options.folds)
    if 'steps' not in begun:
        write_file(out / PLAN, json.dumps(plan).encode())
        pool.link(out)
        for number in range(options.folds):
            rows = {'train': np.flatnonzero(fold != number), 'val': np.flatnonzero(fold == number)}
            pool.write_part(out / f'fold_{number}', out, rows)
        plan['steps'] = quick.steps_in(out / 'fold_0', 60 * options.minutes / options.folds)
        write_file(out / PLAN, json.dumps(plan).encode())
        begun = plan
    print(f'{plural(begun["steps"], "step")} of training for each of {options.folds} folds')
    return fold, begun['steps']


def _begun(file: Path) -> dict:
    """Return what an audit has planned, {} where none has begun.

    Raises:
        InputError: the file has another form.
    """
    if not file.is_file():
        return {}
    begun = read_json(file)
    steps = begun.get('steps', MOST) if isinstance(begun, dict) else None
    if type(steps) is not int or not 0 < steps <= MOST:
        raise InputError(f'{file}: is not the plan of an audit; choose another --out, or remove it')
    return begun


def _curve(pool: Pool, fold: np.ndarray, quick: Quick, steps: int, out: Path) -> Section:
    """Train on a quarter and a half of the pictures of the first fold, and compare with all."""
    rows = np.random.default_rng(0).permutation(np.flatnonzero(fold != 0))
    table = []
    for name, part in PARTS.items():
        folder, used = out / (name if part < 1 else 'fold_0'), max(int(part * len(rows)), 1)
        if part < 1:
            chosen = {'train': np.sort(rows[:used]), 'val': np.flatnonzero(fold == 0)}
            pool.write_part(folder, out, chosen)
        table.append([name, used, quick.train(folder, steps) or 0.0])
        print(f'{table[-1][0]:>8}  {used:>6} pictures  {quick.metric} {table[-1][2]:.3f}')
    *_, half, whole = (row[2] for row in table)
    helps = 'more pictures help' if whole - half > GAIN * whole else 'more pictures hardly help'
    text = f'{helps}: the second half of the pictures raised {quick.metric} by {whole - half:.3f}'
    print(text)
    head = ['training pictures', 'number', quick.metric]
    return Section('Would more pictures help?', [Table(head=head, rows=table)], f'{text}.')


def _unlabeled(pool: Pool, given: Sequence[str]) -> tuple[int, list[Path]]:
    """Read ``--pick N FOLDER``, and leave out what is labeled already.

    Raises:
        InputError: there is nothing to pick.
    """
    number, root = given[0], Path(given[1]).expanduser().absolute()
    files = sorted(files_below(root, IMAGES)) if root.is_dir() else []
    if not number.isdecimal() or not int(number) or not files:
        raise InputError(f'--pick {number} {root}: must be a number and a folder of pictures')
    known = len(pool.files)
    groups = near_duplicates(perceptual_hashes([*pool.files, *files], available_cores()))
    labeled = {row for each in groups if each[0] < known for row in each}
    new = [file for row, file in enumerate(files, known) if row not in labeled]
    if len(new) < len(files):
        print(f'{len(files) - len(new)} of {len(files)} pictures of {root} are labeled already')
    if not new:
        raise InputError(f'--pick {number} {root}: all pictures there are labeled already')
    return int(number), new


def _pick(pool: Pool, quick: Quick, out: Path, number: int, files: Sequence[Path]) -> None:
    """Write which files are to be labeled next."""
    run = run_of(out / 'fold_0')
    config = read_config(str(run / f'{quick.config}.py'))
    predictor = Predictor(config, latest_checkpoint(run), choose_device(None))
    known = [pool.files[row] for row in spread(len(pool.files), KNOWN)]
    chosen = pick(predictor, known, files, number)
    rows = [{'file': str(file), 'doubt': f'{doubt:.3f}'} for file, doubt in chosen]
    write_file(out / PICKED, as_csv(rows))
    print(f'{plural(len(rows), "picture")} to label next: {out / PICKED}')
