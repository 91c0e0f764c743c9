"""What must agree between settings of a config that are each valid for themselves.

Most of it would show after an epoch, at the first evaluation, and some never.
"""

from collections.abc import Iterable, Iterator, Mapping

from mmengine.config import Config

from ...tasks import Task, find_task
from ...utils.messages import did_you_mean
from ..data_paths import evaluators
from ..lint import dicts, report
from ..settings import as_list, entries, type_at, value_at


def unmeasured(config: Mapping, task: Task, wanted: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with each name in ``wanted`` that ``val_evaluator`` does not measure."""
    metrics = [metric for _, metric in evaluators(config, ('val',))]
    found = [task.measured.get(type_at(metric), lambda _: None)(metric) for metric in metrics]
    if None in found:  # one that does not tell
        return
    known = list(dict.fromkeys(name for names in found for name in names))
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known, most=1, cutoff=0.5) or f'; known: {", ".join(known)}'
            yield f'{name!r} is not measured by val_evaluator{hint}'


def _what_is_watched_is_measured(config: Mapping, task: Task) -> Iterator[str]:
    """Check that ``save_best``, and what hooks and schedules monitor, is measured."""
    for place, settings in dicts(config):
        if not place.startswith(('default_hooks.', 'custom_hooks.', 'param_scheduler.')):
            continue
        for key in {'save_best', 'monitor'} & settings.keys():
            wanted = [name for name in as_list(settings[key]) if name not in (None, 'auto')]
            for finding in unmeasured(config, task, wanted):
                yield f'{place}.{key}: {finding}'


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
    weights, sigmoid = value_at(loss, 'class_weight'), value_at(loss, 'use_sigmoid')
    background = not sigmoid and (task.scope == 'mmdet' or type_at(head) == 'Mask2FormerHead')
    what = f'{classes} classes' + (' and "no object"' if background else '')
    remedy = f'set it to [1.0] * {classes}' + (' + [0.1]' if background else '')
    if isinstance(weights, list | tuple) and len(weights) != classes + background:
        yield f'{place}.class_weight: has {len(weights)} weights for {what}; {remedy}'
    elif isinstance(weights, int | float) and not sigmoid and type_at(head) != 'DETRHead':
        yield f'{place}.class_weight: is one number for {what}; {remedy}'


def missing_sections(config: Mapping) -> Iterator[str]:
    """Yield findings for splits in parts: a runner wants all of one or nothing."""
    for split in ('val', 'test'):
        sections = [f'{split}_dataloader', f'{split}_cfg', f'{split}_evaluator']
        missing = [section for section in sections if config.get(section) is None]
        if missing and len(missing) < len(sections):
            given = ', '.join(section for section in sections if section not in missing)
            yield (
                f'{missing[0]}: is missing beside {given}; give all of them, or leave all of them '
                'out'
            )


def disagreements(config: Mapping) -> list[str]:
    """Return the findings of all rules, those of the task among them.

    Args:
        config: has single values that are valid.
    """
    task = find_task(config)
    if task is None:
        return []
    found = [*_what_is_watched_is_measured(config, task), *_every_class_has_a_weight(config, task)]
    return found + [finding for rule in task.rules for finding in rule(config)]


def require_agreement(config: Config) -> None:
    """Refuse a config whose settings do not fit together.

    Raises:
        InputError: names all of them.
    """
    report(config, disagreements(config))
