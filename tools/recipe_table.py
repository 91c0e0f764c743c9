"""Write docs/recipes.md: what the shipped configs do, read from the configs themselves.

python tools/recipe_table.py
"""

import fnmatch
import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mmengine.config import Config

sys.path.append(str(Path(__file__).resolve().parents[1]))  # for what the configs import

from vitbackbones.catalog import config_files
from vitbackbones.registry import bare_name

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / 'docs' / 'recipes.md'
INTRODUCTION = """\
# Recipes

This page compares the training recipes of all configs in one table.
Made by `python tools/recipe_table.py`; a test compares it with the configs.

What the configs do, read from the configs; those in one line have the same values. A recipe is a
file of `configs/_base_/recipes/`, whose header names its source; configs without one list their
bases themselves. Batch: images of a step, on the hardware of the header. Depth: stochastic depth of
the last block. Normalization: mean and std of the images.
"""
CLASSIFICATION = """\
Warm-up: epochs of it, among all. Clip: the largest norm of the gradients. Average: of the weights,
reported or kept aside. Crop: the short side in evaluation / the crop, and the interpolation.
Repeated: how often an image is in a pass, augmented differently each time. Mixing: alpha of MixUp
and of CutMix. Erasing: its probability, before or after the mixing.
"""
DETECTION = """\
Rate: of all / of the backbone. Drop: the epochs after which the rates are divided by ten. Sizes: of
the short side in training, of images that are not cropped; in evaluation, the short and the long
side at most.
"""
SEGMENTATION = """\
Rate: of the backbone / of the heads. Warm-up and length: in steps. Decline: of the rate, and what
is left of it at the end. Crop: of training; windows: in testing, and the step between them, where
images are not tested in one piece.
"""
QUICK = """\
For pictures of your own, see [quick.md](quick.md). Rate: of all. Warm-up and length: in steps.
Decline: what is left of the rate at the end. Size: of the long side in evaluation.
"""


@dataclass(frozen=True)
class Table:
    """The configs of one task and what is said of each.

    Attributes:
        title, text: for readers.
        kinds: what the configs' names begin with.
        columns: a title, and what gives the cell for a config.
    """

    title: str
    text: str
    kinds: tuple[str, ...]
    columns: dict[str, Callable[[Config], str]]


def steps(config: Config, split: str) -> dict[str, dict]:
    """The steps of a pipeline by their types."""
    return {bare_name(step.type): step for step in config[f'{split}_dataloader'].dataset.pipeline}


def batch(config: Config) -> str:
    """The images of a step: those that the rates are meant for, else those of one loader."""
    scaling = config.get('auto_scale_lr', {})
    return f'{scaling.get("base_batch_size", config.train_dataloader.batch_size)}'


def depth(config: Config) -> str:
    return f'{config.model.backbone.get("drop_path_rate", 0)}'


def clip(config: Config) -> str:
    return f'{(config.optim_wrapper.get("clip_grad") or {}).get("max_norm", "")}'


def normalization(config: Config) -> str:
    return '0.5' if 127.5 in config.model.data_preprocessor.mean else 'ImageNet'


def average(config: Config) -> str:
    """What becomes of an average of the weights; mmengine's hook and ours say it differently."""
    hook = config.default_hooks.get('ema')
    if hook is None:
        return ''
    last = hook.get('evaluate') == 'last' or hook.get('evaluate_on_ema') is False
    return 'aside' if last else 'reported'


def crop(config: Config) -> str:
    found = steps(config, 'test')
    resize = found['ResizeEdge']
    return f'{resize.scale} / {found["CenterCrop"].crop_size} {resize.interpolation}'


def erasing(config: Config) -> str:
    preprocessor = config.model.data_preprocessor
    if 'erase_prob' not in preprocessor:
        return ''
    return f'{preprocessor.erase_prob} {"before" if "before_mixing" in preprocessor else "after"}'


def rates(*parts: str) -> Callable[[Config], str]:
    """The rate of parameters with each part in their names; that of all for an empty one."""

    def cell(config: Config) -> str:
        whole = config.optim_wrapper.optimizer.lr
        keys = config.optim_wrapper.get('paramwise_cfg', {}).get('custom_keys', {})
        return ' / '.join(f'{whole * keys.get(part, {}).get("lr_mult", 1):g}' for part in parts)

    return cell


def short_sides(config: Config) -> str:
    """The smallest and the largest short side, of whole images where some are cropped."""
    found = steps(config, 'train')
    if 'RandomChoice' in found:
        found = {bare_name(step.type): step for step in found['RandomChoice'].transforms[0]}
    if 'RandomResize' in found:
        resize = found['RandomResize']
        sides = [round(min(resize.scale) * ratio) for ratio in resize.ratio_range]
    elif 'RandomChoiceResize' in found:
        sides = sorted(min(scale) for scale in found['RandomChoiceResize'].scales)
    else:
        return f'{min(found["Resize"].scale)}'
    return f'{sides[0]}-{sides[-1]}'


def warm_up(config: Config) -> str:
    first = config.param_scheduler[0]
    return f'{first.end}' if first.type == 'LinearLR' else '0'


def decline(config: Config) -> str:
    last = config.param_scheduler[-1]
    if 'milestones' in last:
        return f'{len(last.milestones)} steps, {last.gamma ** len(last.milestones):.2g}'
    kind = f'power {last.power}' if 'power' in last else 'cosine'
    return f'{kind}, {last.get("eta_min_ratio", last.get("eta_min")):.2g}'


def windows(config: Config) -> str:
    found = config.model.test_cfg
    return f'{found.crop_size[0]}, {found.stride[0]}' if found.get('mode') == 'slide' else ''


def optimization(rate: Callable[[Config], str]) -> dict[str, Callable[[Config], str]]:
    """The columns that every table begins with."""
    return {
        'optimizer': lambda c: c.optim_wrapper.optimizer.type,
        'rate': rate,
        'decay': lambda c: f'{c.optim_wrapper.optimizer.weight_decay:g}',
        'batch': batch,
    }


TABLES = (
    Table(
        'Classification',
        CLASSIFICATION,
        ('cls',),
        {
            **optimization(lambda c: f'{c.optim_wrapper.optimizer.lr:g}'),
            'warm-up': lambda c: f'{c.param_scheduler[0].end - 1}',
            'epochs': lambda c: f'{c.train_cfg.max_epochs}',
            'depth': depth,
            'clip': clip,
            'average': average,
            'crop': crop,
            'normalization': normalization,
            'repeated': lambda c: f'{c.train_dataloader.sampler.get("num_repeats", 1)}',
            'mixing': lambda c: ', '.join(f'{one.alpha}' for one in c.model.train_cfg.augments),
            'augmentation': lambda c: (
                '3-Augment' if 'Solarize' in str(steps(c, 'train')) else 'RandAugment'
            ),
            'erasing': erasing,
        },
    ),
    Table(
        'Detection',
        DETECTION,
        ('detr', 'retinanet', 'faster_rcnn', 'mask_rcnn', 'deformable_detr', 'dino'),
        {
            **optimization(rates('', 'backbone')),
            'epochs': lambda c: f'{c.train_cfg.max_epochs}',
            'drop': lambda c: ', '.join(map(str, c.param_scheduler[-1].get('milestones', ()))),
            'depth': depth,
            'clip': clip,
            'sizes': short_sides,
            'evaluation': lambda c: '{1}, {0}'.format(*steps(c, 'test')['Resize'].scale),
            'normalization': normalization,
        },
    ),
    Table(
        'Segmentation',
        SEGMENTATION,
        ('setr', 'upernet', 'semantic_fpn', 'mask2former'),
        {
            **optimization(rates('backbone', 'head')),
            'warm-up': warm_up,
            'length': lambda c: f'{c.train_cfg.max_iters}',
            'decline': decline,
            'depth': depth,
            'clip': clip,
            'crop': lambda c: f'{steps(c, "train")["RandomCrop"].crop_size[0]}',
            'windows': windows,
            'normalization': normalization,
        },
    ),
    Table(
        'Quick',
        QUICK,
        ('quick',),
        {
            **optimization(lambda c: f'{c.optim_wrapper.optimizer.lr:g}'),
            'warm-up': warm_up,
            'length': lambda c: f'{c.train_cfg.max_iters}',
            'decline': decline,
            'clip': clip,
            'size': lambda c: f'{max(steps(c, "test")["Resize"].scale)}',
        },
    ),
)


def recipe(path: Path) -> str:
    """The recipe that a config builds on; empty where it lists its bases itself."""
    return ', '.join(f'`{name}`' for name in re.findall(r'/recipes/(\w+)', path.read_text()))


def rows(table: Table) -> Iterator[tuple[str, ...]]:
    """The cells of every line."""
    configs: dict[tuple[str, ...], list[str]] = {}
    found = [name for kind in table.kinds for name in fnmatch.filter(config_files(), f'{kind}_*')]
    for name in found:
        if not name.endswith('_shapes'):
            path = config_files()[name]
            config = Config.fromfile(path)
            cells = tuple(cell(config) for cell in table.columns.values())
            configs.setdefault((recipe(path), *cells), []).append(name)
    yield ('config', 'recipe', *table.columns)
    yield ('---',) * (2 + len(table.columns))
    for cells, names in configs.items():
        yield (', '.join(f'`{name}`' for name in names), *cells)


def text() -> Iterator[str]:
    """The lines of the file."""
    yield INTRODUCTION
    for table in TABLES:
        yield f'## {table.title}\n'
        yield table.text
        yield from (f'| {" | ".join(row)} |' for row in rows(table))
        yield ''


def main() -> None:
    TARGET.write_text('\n'.join(text()))


if __name__ == '__main__':
    ArgumentParser(description=__doc__).parse_args()
    main()
