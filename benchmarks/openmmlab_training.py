"""Do configs of the toolboxes train here, and resume to the bit?

    python -m benchmarks.openmmlab_training --number 20
    python -m benchmarks.openmmlab_training --summary docs/lab/openmmlab_training.md

Configs are drawn at random, the same number of each toolbox, from those that the table of
``openmmlab_configs`` says can be built, and whose models fit this machine. Each is prepared as
``train --smoke`` does: on drawn images, small ones, and with its own model, losses, augmentations
and optimizer. It trains two steps, and a second run resumes from the checkpoint of the first step.
All tensors of the model and the optimizer must be equal then. A row that is there is not measured
again.
"""

import copy
import csv
import math
import sys
import tempfile
import warnings
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import torch
from mmengine.config import Config
from mmengine.logging import MMLogger
from torch.utils._pytree import tree_leaves

import vitbackbones  # noqa: F401 - patches the toolboxes
from vitbackbones.commands.ending import run
from vitbackbones.running import smoke
from vitbackbones.running.request import TrainRequest
from vitbackbones.running.train import run_training
from vitbackbones.training.console import QuietRunner
from vitbackbones.training.hooks.curves import told_when_stopped

from .openmmlab_configs import (
    TOOLBOXES,
    folder,
    in_random_order,
    one_line,
    reasons,
    rows,
    write_summary,
)

FIELDS = ('toolbox', 'config', 'result', 'reason')
RESUMED = 'resumed to the bit'
DIFFERENT = 'resumed differently'
FAILED = 'did not train'
MOST = 1e8  # parameters: larger models take minutes on a CPU
SECONDS = 1200  # of a config
PAIR = {'train': 2, 'val': 1}  # images: one batch


def drawn(table: Path, number: int) -> list[dict[str, str]]:
    """Return so many configs of each toolbox in turn, in an order that is always the same."""
    small = [row for row in in_random_order(rows(table)) if int(row['parameters']) < MOST]
    each = [[row for row in small if row['toolbox'] == toolbox][:number] for toolbox in TOOLBOXES]
    return [row for turn in zip_longest(*each) for row in turn if row]


def train(path: Path, work_dir: str) -> str:
    """Train a config and resume it; return '' where both runs agree, else how they differ."""
    difference = []

    def compared(config: Config) -> str:
        difference.append(compare(config))
        return ''

    request = TrainRequest(str(path), work_dir=work_dir, smoke=True, device='cpu')
    with patch.object(smoke, 'run', compared), patch.object(smoke, 'IMAGES', PAIR):
        run_training(request)
    return difference[0]


def compare(config: Config) -> str:
    """Train two steps, and the second one again after resuming; return what differs, '' if none."""
    config = two_lengths(config)
    first = trained(config)
    checkpoint = next(Path(config.work_dir).glob('*_1.pth'))
    again = copy.deepcopy(config)
    again.update(resume=True, load_from=str(checkpoint), work_dir=f'{config.work_dir}/resumed')
    if again.get('visualizer'):
        again.visualizer.pop('name', None)  # the first runner's of that name exists still
    second = trained(again)
    pairs = zip(first.items(), second.items(), strict=True)
    return next((key for (key, one), (_, other) in pairs if not torch.equal(one, other)), '')


def two_lengths(config: Config) -> Config:
    """Return a config that trains two epochs or steps, saves after each, and evaluates nothing.

    It has a seed: a random teacher is no part of a checkpoint.
    """
    config = copy.deepcopy(config)
    config.randomness = {**(config.get('randomness') or {}), 'seed': 0}
    by_epoch = 'max_epochs' in config.train_cfg
    config.train_cfg.update({'max_epochs' if by_epoch else 'max_iters': 2})
    config.default_hooks.checkpoint.update(interval=1, max_keep_ckpts=-1, save_best=None)
    config.update(val_cfg=None, val_dataloader=None, val_evaluator=None)
    config.update(test_cfg=None, test_dataloader=None, test_evaluator=None)
    return config


def trained(config: Config) -> dict[str, torch.Tensor]:
    """Return all tensors of the model and of the optimizer after a training.

    Raises:
        ValueError: a loss was not finite.
    """
    runner = QuietRunner.from_cfg(config)
    with told_when_stopped(runner):
        runner.train()
    losses, _ = runner.message_hub.log_scalars['train/loss'].data
    if not all(math.isfinite(loss) for loss in losses):
        raise ValueError(f'the loss is {losses[-1]} after {len(losses)} steps')
    state = {f'model.{key}': value for key, value in runner.model.state_dict().items()}
    leaves = tree_leaves(runner.optim_wrapper.state_dict())
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return state | {f'optimizer.{number}': tensor for number, tensor in enumerate(tensors)}


def examine(row: dict[str, str]) -> dict[str, str]:
    """Return the row of a config, which is trained in a process of its own."""
    measured = {'toolbox': row['toolbox'], 'config': row['config']}
    here, there = get_context('fork').Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as work_dir:
        path = folder(row['toolbox']) / row['config']
        process = get_context('fork').Process(target=answer, args=(there, path, work_dir))
        process.start()
        there.close()
        try:
            found = (FAILED, f'longer than {SECONDS} s')
            if here.poll(SECONDS):
                found = here.recv()
        except EOFError:
            found = (FAILED, 'the process was killed')
        process.kill()
        process.join()
    return measured | dict(zip(('result', 'reason'), found, strict=True))


def answer(there, path: Path, work_dir: str) -> None:
    """Train a config and send its result."""
    try:
        difference = train(path, work_dir)
        there.send((DIFFERENT, difference) if difference else (RESUMED, ''))
    except Exception as error:
        text = one_line(error).partition(' (the traceback is in')[0]
        if 'Original Traceback' in text:  # of a data worker
            text = one_line(str(error).strip().splitlines()[-1])
        there.send((FAILED, text.replace(work_dir, 'WORK_DIR')))


def measure(out: Path, table: Path, number: int) -> None:
    """Append the rows of all drawn configs that have none yet."""
    done = {(row['toolbox'], row['config']) for row in rows(out)}
    new = not out.exists()
    with open(out, 'a', newline='') as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
        if new:
            writer.writeheader()
        for row in drawn(table, number):
            if (row['toolbox'], row['config']) not in done:
                writer.writerow(examine(row))
                file.flush()


def page(found: Sequence[dict[str, str]]) -> Iterator[str]:
    """Yield the lines of the tables: one of toolboxes, and one of what did not train."""
    yield f'| toolbox | configs | {RESUMED} | {DIFFERENT} | {FAILED} |'
    yield '|---|---|---|---|---|'
    for toolbox in TOOLBOXES:
        mine = Counter(row['result'] for row in found if row['toolbox'] == toolbox)
        numbers = (sum(mine.values()), mine[RESUMED], mine[DIFFERENT], mine[FAILED])
        yield f'| {toolbox} | ' + ' | '.join(map(str, numbers)) + ' |'
    yield ''
    yield from reasons([row for row in found if row['result'] != RESUMED], 'reason')


def arguments() -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('--out', type=Path, default=Path('docs/lab/openmmlab_training.csv'), help='CSV file')
    add('--table', type=Path, default=Path('docs/lab/openmmlab_configs.csv'))
    add('--number', type=int, default=20, metavar='N', help='configs of each toolbox')
    add('--summary', type=Path, metavar='PAGE', help='write the tables below the mark of a page')
    return parser.parse_args()


def main() -> None:
    """Measure, or write the page."""
    options = arguments()
    if options.summary:
        write_summary(options.summary, [*page(rows(options.out))])
        return
    warnings.filterwarnings('ignore')
    MMLogger.get_instance('openmmlab_training', log_level='ERROR')
    measure(options.out, options.table, options.number)


if __name__ == '__main__':
    sys.exit(run(main))
