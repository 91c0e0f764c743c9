"""Write docs/recipes.md: what the shipped classification configs do, from the configs themselves.

python tools/recipe_table.py
"""

from argparse import ArgumentParser

from _clone import ROOT
from mmengine.config import Config

TARGET = ROOT / 'docs' / 'recipes.md'
INTRODUCTION = """\
# Recipes

Made by `python tools/recipe_table.py`; a test compares it with the configs.

What `configs/cls_<config>.py` does, read from the configs; those in one line have the same values.
Batch: images of a step, on the hardware of the header. Warm-up: epochs of it, among all. Depth:
stochastic depth of the last block. Average: of the weights, reported or kept aside. Repeated: how
often an image is in a pass, each time augmented anew. Mixing: alpha of MixUp and of CutMix.
Erasing: its probability, before or after the mixing.

"""
COLUMNS = {
    'rate': lambda c: f'{c.optim_wrapper.optimizer.type} {c.optim_wrapper.optimizer.lr:g}',
    'decay': lambda c: f'{c.optim_wrapper.optimizer.weight_decay:g}',
    'batch': lambda c: f'{c.auto_scale_lr.base_batch_size}',
    'warm-up': lambda c: f'{c.param_scheduler[0].end - 1}',
    'epochs': lambda c: f'{c.train_cfg.max_epochs}',
    'depth': lambda c: f'{c.model.backbone.get("drop_path_rate", 0)}',
    'clip': lambda c: f'{(c.optim_wrapper.get("clip_grad") or {}).get("max_norm", "")}',
    'average': lambda c: average(c.default_hooks.get('ema')),
    'evaluation': lambda c: evaluation(steps(c, 'test')),
    'mean, std': lambda c: '0.5' if 127.5 in c.model.data_preprocessor.mean else 'ImageNet',
    'repeated': lambda c: f'{c.train_dataloader.sampler.get("num_repeats", 1)}',
    'mixing': lambda c: ', '.join(f'{one.alpha}' for one in c.model.train_cfg.augments),
    'augmentation': lambda c: (
        '3-Augment' if 'Solarize' in str(steps(c, 'train')) else 'RandAugment'
    ),
    'erasing': lambda c: erasing(c.model.data_preprocessor, steps(c, 'train')),
}


def steps(config: Config, split: str) -> dict[str, dict]:
    """The steps of a pipeline by their types."""
    return {step.type: step for step in config[f'{split}_dataloader'].dataset.pipeline}


def average(hook: dict | None) -> str:
    """What becomes of an average of the weights; mmengine's hook and ours say it differently."""
    if hook is None:
        return ''
    last = hook.get('evaluate') == 'last' or hook.get('evaluate_on_ema') is False
    return 'aside' if last else 'reported'


def evaluation(pipeline: dict[str, dict]) -> str:
    resize = pipeline['ResizeEdge']
    return f'{resize.scale} / {pipeline["CenterCrop"].crop_size} {resize.interpolation}'


def erasing(preprocessor: dict, pipeline: dict[str, dict]) -> str:
    if 'RandomErasing' in pipeline:
        return f'{pipeline["RandomErasing"].erase_prob} before'
    return f'{preprocessor.erase_prob} after' if 'erase_prob' in preprocessor else ''


def table() -> str:
    """The text of the file."""
    recipes: dict[tuple[str, ...], list[str]] = {}
    for path in sorted((ROOT / 'configs').glob('cls_*.py')):
        if not path.stem.endswith('_shapes'):
            config = Config.fromfile(path)
            cells = tuple(cell(config) for cell in COLUMNS.values())
            recipes.setdefault(cells, []).append(path.stem.removeprefix('cls_'))
    rows = [('config', *COLUMNS), ('---',) * (1 + len(COLUMNS))]
    rows += [(', '.join(f'`{name}`' for name in names), *cells) for cells, names in recipes.items()]
    return INTRODUCTION + ''.join(f'| {" | ".join(row)} |\n' for row in rows)


def main() -> None:
    TARGET.write_text(table())


if __name__ == '__main__':
    ArgumentParser(description=__doc__).parse_args()
    main()
