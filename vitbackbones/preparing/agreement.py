"""What must agree between settings of a config that are each valid for themselves.

Most of it would show after an epoch, at the first evaluation, and some never. Batch and images may
differ from those of a recipe or of the weights that a run starts from, which is said.
"""

import os
from collections.abc import Iterable, Iterator, Mapping

from mmengine.config import Config

from ..backbones.foreign.huggingface import images_of
from ..backbones.foreign.timm_models import published_config
from ..backbones.names import MODELS
from ..backbones.preprocessing import named_config
from ..configuration import SPLITS
from ..configuration.classes import check_classes
from ..configuration.data_paths import evaluators
from ..configuration.lint import dicts, report
from ..configuration.lookup import Lookup
from ..configuration.settings import as_list, entries, type_at, value_at
from ..tasks import Task, find_task
from ..utils.messages import did_you_mean
from ..weights import PUBLISHED
from ..weights.filling import INITIALIZERS
from ..weights.table import name_of
from .images import image_rules
from .schedules import length_rules

WITH_BACKGROUND = (  # of mmseg's heads
    'MaskFormerHead',
    'Mask2FormerHead',
    'SideAdapterCLIPHead',
    'EoMTDecodeHead',
)


def unmeasured(config: Mapping, task: Task, wanted: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with each name in ``wanted`` that ``val_evaluator`` does not measure."""
    metrics = [metric for _, metric in evaluators(config, ('val',))]
    found = [task.measured.get(type_at(metric), lambda _: None)(metric) for metric in metrics]
    if not found or None in found:  # nothing is measured, or one does not tell
        return
    known = list(dict.fromkeys(name for names in found for name in names))
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known, most=1, cutoff=0.5) or f'; known: {", ".join(known)}'
            yield f'{name!r} is not a metric of val_evaluator{hint}'


def _what_is_watched_is_measured(config: Mapping, task: Task) -> Iterator[str]:
    """Check that ``save_best``, and what hooks and schedules monitor, is measured."""
    for place, settings in dicts(config):
        if not place.startswith(('default_hooks.', 'custom_hooks.', 'param_scheduler')):
            continue
        if 'ReduceOnPlateau' in type_at(settings):
            settings = {'monitor': 'loss', **settings}  # its default
        for key in {'save_best', 'monitor'} & settings.keys():
            wanted = [name for name in as_list(settings[key]) if name not in (None, 'auto')]
            for finding in unmeasured(config, task, wanted):
                yield f'{place}.{key}: {finding}'


def _pipelines_pack(config: Mapping, task: Task) -> Iterator[str]:
    """Check that pipelines end in a step that packs, unless that step is from elsewhere."""
    for split in SPLITS:
        path = f'{split}_dataloader.dataset.pipeline'
        steps = value_at(config, path)
        if not isinstance(steps, list) or 'Pack' in str(steps[-1:]):
            continue
        last = Lookup(task.scope).find(str(value_at(steps[-1], 'type'))) if steps else {}
        packages = {target.__module__.partition('.')[0] for target in last.values()}
        if not steps or packages & {'mmcv', task.scope}:
            yield f'{path}: no step packs samples for the model; add {task.packer!r} at the end'


def _every_class_has_a_weight(config: Mapping, task: Task) -> Iterator[str]:
    """Check that losses weigh each class of their head, and the background where it is one."""
    for place, head in dicts({'model': config.get('model')}):
        classes = head.get('num_classes')
        if not classes and 'num_things_classes' in head and 'num_stuff_classes' in head:
            classes = head['num_things_classes'] + head['num_stuff_classes']
        if task.scope == 'mmseg' and head.get('out_channels') == 1:  # for the second of two classes
            classes = 1
        if not classes:
            continue
        for name, losses in entries(head):
            for loss in as_list(losses) if name.startswith('loss') else ():
                yield from _wrong_weights(f'{place}.{name}', head, loss, classes, task)


def _wrong_weights(
    place: str, head: Mapping, loss: Mapping, classes: int, task: Task
) -> Iterator[str]:
    weights = value_at(loss, 'class_weight')
    sigmoid = value_at(loss, 'use_sigmoid')
    background = not sigmoid and (task.scope == 'mmdet' or type_at(head) in WITH_BACKGROUND)
    what = f'{classes} classes' + (' and "no object"' if background else '')
    remedy = f'set it to [1.0] * {classes}' + (' + [0.1]' if background else '')
    if isinstance(weights, list | tuple) and type_at(head) == 'DETRHead' and not sigmoid:
        one = 'set it to 1.0, and bg_cls_weight to that of "no object"'
        yield f'{place}.class_weight: is a list, but DETRHead weighs all classes alike; {one}'
    elif isinstance(weights, list | tuple) and len(weights) != classes + background:
        yield f'{place}.class_weight: has {len(weights)} weights for {what}; {remedy}'
    elif isinstance(weights, int | float) and not sigmoid and type_at(head) != 'DETRHead':
        yield f'{place}.class_weight: is one number for {what}; {remedy}'
    elif isinstance(weights, str) and not os.path.isfile(weights):
        yield f'{place}.class_weight: is {weights!r}, a file that does not exist; {remedy}'


def missing_sections(config: Mapping) -> Iterator[str]:
    """Yield findings for splits in parts: a runner wants all of one or nothing."""
    for split in ('val', 'test'):
        sections = [f'{split}_dataloader', f'{split}_cfg', f'{split}_evaluator']
        missing = [section for section in sections if config.get(section) is None]
        if missing and len(missing) < len(sections):
            given = ', '.join(section for section in sections if section not in missing)
            yield (
                f'{missing[0]}: is missing, but the config has {given}; set all of them, or '
                'remove all of them'
            )


def disagreements(config: Mapping, classes_known: bool = True) -> list[str]:
    """Return the findings of all rules, those of the task among them.

    Where data are still to say which classes there are, losses need not weigh each of them.
    """
    task = find_task(config)
    if task is None:
        return []
    found = [*_what_is_watched_is_measured(config, task), *_pipelines_pack(config, task)]
    found += _every_class_has_a_weight(config, task) if classes_known else []
    found += [*length_rules(config), *image_rules(config)]
    return found + [finding for rule in task.rules for finding in rule(config)]


def require_agreement(config: Config, classes_known: bool = True) -> None:
    """Refuse a config whose settings do not fit together; arguments of :func:`disagreements`.

    Raises:
        InputError: names all of them.
    """
    report(config, disagreements(config, classes_known))


def require_fit(config: Config, splits: tuple[str, ...]) -> None:
    """Compare the model with the classes of its data, which are known by now; errors as above."""
    check_classes(config, splits)
    require_agreement(config)


# ------------------------------------------------------------------------ recipe and weights

COUNTS = {'pytorch': 'WORLD_SIZE', 'slurm': 'SLURM_NTASKS'}  # set by the launcher
PREPROCESSOR = 'model.data_preprocessor'


def check_evaluation(config: Mapping) -> list[str]:
    """Return a line where validation measures nothing, as in some configs for video in mmdet."""
    return [
        f'{place}.format_only: is True, so validation only writes files: it measures nothing, and '
        'no checkpoint is saved as the best'
        for place, metric in evaluators(config, ('val',))
        if metric.get('format_only')
    ]


def check_batch_size(config: Config, launcher: str) -> list[str]:
    """Return a line where the images of a step are not those that the recipe is made for.

    mmengine reads ``auto_scale_lr.base_batch_size`` only when it is told to scale: the recipe of
    eight GPUs runs on one of them at eight times the rate of its batch, and nothing says so. The
    process group of ``launcher`` does not exist yet.
    """
    scaling = config.get('auto_scale_lr') or {}
    base = scaling.get('base_batch_size')
    images = config.train_dataloader.get('batch_size')
    if not (base and images):
        return []
    loaded = images * int(os.environ.get(COUNTS.get(launcher, ''), 1))
    findings = []
    repeats = config.optim_wrapper.get('accumulative_counts', 1)
    if scaling.get('enable'):
        if repeats > 1:  # which mmengine does not count
            findings.append(
                f'auto_scale_lr sets the learning rate for a batch size of {loaded}, but '
                f'optim_wrapper.accumulative_counts={repeats} makes it {loaded * repeats}: use '
                'one of the two'
            )
    elif loaded * repeats != base:
        remedies = ['scale it with --cfg-options auto_scale_lr.enable=True']
        if base % (images * repeats) == 0:
            remedies.append(f'train in {base // (images * repeats)} processes')
        if base % loaded == 0:
            remedies.append(f'set optim_wrapper.accumulative_counts={base // loaded}')
        findings.append(
            f'the learning rate is meant for a total batch size of {base}, but this run has '
            f'{loaded * repeats}: {", or ".join(remedies)}'
        )
    if 'max_iters' in config.train_cfg and loaded != base:
        findings.append(
            f'{config.train_cfg.max_iters} iterations with a batch size of {loaded} use '
            f'{loaded / base:.3g} times as many images as the recipe, whose batch size is {base}'
        )
    return ['; '.join(findings)] if findings else []


def check_normalization(config: Mapping) -> list[str]:
    """Return a line where mean or deviation are not those of the weights that a run starts from.

    Weights are known by the name of their file, as published or of the model, and those of timm and
    transformers by the name of the network. Nothing is changed: a mean that only training took from
    them would be missing in every later test of the config.
    """
    starts = [value_at(config, f'model.{key}') for key in ('init_cfg', 'backbone.init_cfg')]
    start = next((each for each in starts if value_at(each, 'type') in INITIALIZERS), {})
    name = name_of(start.get('checkpoint') or '')
    images = value_at(config, PREPROCESSOR)
    backbone = value_at(config, 'model.backbone') or {}
    foreign = {'Timm': published_config, 'HuggingFace': images_of}.get(type_at(backbone) or '')
    if foreign and (start or backbone.get('pretrained')):
        name = backbone['name']
        wanted = foreign(backbone['name'])
    elif name in {*MODELS, *PUBLISHED}:
        wanted = named_config(name)
    else:
        return []
    if not (value_at(images, 'mean') and wanted.get('mean') and wanted.get('std')):
        return []
    seen = {key: [round(255 * x, 3) for x in wanted[key]] for key in ('mean', 'std')}
    # the same to half a level of 8 bits, as RGB or as BGR
    pairs = [zip(sorted(seen[key]), sorted(images[key]), strict=False) for key in seen]
    if all(abs(a - b) < 0.5 for pair in pairs for a, b in pair):
        return []
    options = ' '.join(f'{PREPROCESSOR}.{key}={listed(seen[key])}' for key in seen)
    return [
        f'the weights of {name} were trained on images with mean {listed(seen["mean"])} and std '
        f'{listed(seen["std"])}, but {PREPROCESSOR} has {listed(images["mean"])} and '
        f'{listed(images["std"])}, as some published recipes do. To normalize as for the '
        f'weights: --cfg-options {options}'
    ]


def listed(values: list[float]) -> str:
    """Write numbers as --cfg-options reads them."""
    return f'[{",".join(f"{value:g}" for value in values)}]'
