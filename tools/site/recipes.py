"""The tables of docs/recipes.md: what the shipped configs do, read from the configs themselves."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mmengine.config import Config

from vitbackbones.configuration.names import config_files
from vitbackbones.registry import bare_name


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


# title, what the names of the configs begin with, columns
TABLES = (
    (
        'Classification',
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
    (
        'Detection',
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
    (
        'Segmentation',
        ('setr', 'upernet', 'semantic_fpn', 'mask2former', 'eomt'),
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
    (
        'Pretraining from maps',
        ('sret', 'aug_vit'),
        {
            **optimization(lambda c: f'{c.optim_wrapper.optimizer.lr:g}'),
            'warm-up': warm_up,
            'epochs': lambda c: f'{c.train_cfg.max_epochs}',
            'decline': decline,
            'clip': clip,
            'teacher': lambda c: f'`{c.model.teacher}` at {c.model.teacher_size}',
            'temperature': lambda c: f'{c.model.temperature:g}',
            'maps': lambda c: f'{c.model.map_weight:g}',
        },
    ),
    (
        'Quick',
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


def recipes() -> Iterator[str]:
    """Yield the lines of the tables; configs with the same cells share a line."""
    for title, kinds, columns in TABLES:
        lines: dict[tuple[str, ...], list[str]] = {}
        for name, path in config_files().items():
            if _is_of(name, kinds):
                config = Config.fromfile(path)
                cells = tuple(cell(config) for cell in columns.values())
                lines.setdefault((recipe(path), *cells), []).append(f'`{name}`')
        heads = ['config', 'recipe', *columns]
        yield f'## {title}\n'
        yield f'| {" | ".join(heads)} |\n|{"---|" * len(heads)}'
        yield from (f'| {" | ".join([", ".join(lines[cells]), *cells])} |' for cells in lines)
        yield ''


def _is_of(name: str, kinds: tuple[str, ...]) -> bool:
    return not name.endswith('_shapes') and name.startswith(tuple(f'{kind}_' for kind in kinds))
