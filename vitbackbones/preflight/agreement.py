"""What must agree between settings of a config that are each valid for themselves.

Most of it would show after an epoch, at the first evaluation, and some never.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from mmengine.config import Config

from ..configuration.data import SPLITS, datasets, evaluators
from ..configuration.lint import report
from ..configuration.lookup import Lookup
from ..configuration.settings import as_list, type_at, value_at
from ..messages import did_you_mean
from ..tasks import Task, find_task

CROP = 'vitbackbones.RandomResizedCrop'


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


def _best_is_measured(config: Mapping, task: Task) -> Iterator[str]:
    """Check that ``save_best`` names something that is measured."""
    hook = (config.get('default_hooks') or {}).get('checkpoint') or {}
    wanted = [name for name in as_list(hook.get('save_best')) if name not in (None, 'auto')]
    for finding in unmeasured(config, task, wanted):
        yield f'default_hooks.checkpoint.save_best: {finding}'


def missing_sections(config: Mapping) -> Iterator[str]:
    """Yield findings for splits in parts: a runner wants all of one or nothing."""
    for split in ('val', 'test'):
        sections = [f'{split}_dataloader', f'{split}_cfg', f'{split}_evaluator']
        missing = [section for section in sections if config.get(section) is None]
        if missing and len(missing) < len(sections):
            given = ', '.join(section for section in sections if section not in missing)
            yield f'{missing[0]}: is missing beside {given}; give all of them or none'


def _pipelines_pack(config: Mapping, task: Task) -> Iterator[str]:
    """Check that pipelines pack: the models of the toolboxes read nothing but packed samples."""
    for split in SPLITS:
        path = f'{split}_dataloader.dataset.pipeline'
        steps = value_at(config, path)
        if isinstance(steps, list) and not _may_pack(steps, task.scope):
            yield f'{path}: nothing in it packs samples for the model; end it with {task.packer!r}'


def _may_pack(steps: list, scope: str) -> bool:
    """Tell whether the last step packs, itself or in its branches, or is not from a toolbox."""
    if not steps:
        return False
    targets = Lookup(scope).find(str(value_at(steps[-1], 'type'))).values()
    shipped = [target.__module__.partition('.')[0] in ('mmcv', scope) for target in targets]
    return 'Pack' in str(steps[-1]) or not any(shipped)


def _files_are_decoded(config: Mapping) -> Iterator[str]:
    """Check that the step behind ``LoadImage(decode='reduced')``, which gives files, decodes."""
    for path, dataset in datasets(config):
        for step, following in pairwise(as_list(dataset.get('pipeline'))):
            if value_at(step, 'decode') == 'reduced' and not _decodes(following):
                yield (
                    f"{path}.pipeline: decode='reduced' leaves decoding to {CROP}, which must be "
                    "the next step; put it there, or set decode='full'"
                )


def _decodes(step: Mapping) -> bool:
    """Tell whether a step, or each branch of a choice, begins with the crop that decodes."""
    if type_at(step) != 'RandomChoice':
        return value_at(step, 'type') == CROP
    return all(branch and _decodes(as_list(branch)[0]) for branch in step['transforms'])


def disagreements(config: Mapping) -> list[str]:
    """Return the findings of all rules, those of the task among them.

    Args:
        config: has single values that are valid.
    """
    task = find_task(config)
    if task is None:
        return []
    found = [*_best_is_measured(config, task), *_pipelines_pack(config, task)]
    found += _files_are_decoded(config)
    return found + [finding for rule in task.rules for finding in rule(config)]


def require_agreement(config: Config) -> None:
    """Refuse a config whose settings do not fit together.

    Raises:
        InputError: names all of them.
    """
    report(config, disagreements(config))
