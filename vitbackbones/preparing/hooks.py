"""The hooks that every run gets, and how a step adds one to a config."""

import copy

from mmengine.config import Config

from ..registry import SCOPE

GUARDS = {
    'exact_resume': 'ExactResumeHook',
    'finite_loss': 'FiniteLossHook',
    'unreadable_images': 'UnreadableImagesHook',
    'curves': 'CurvesHook',
}


def add_hooks(config: Config, *kinds: str, **options) -> Config:
    """Return a copy of ``config`` with custom hooks of these types, each with ``options``.

    Those that it has, as the dump of an earlier run does, are replaced.
    """
    config = copy.deepcopy(config)
    added = [{'type': f'{SCOPE}.{kind}', **options} for kind in kinds]
    types = [hook['type'] for hook in added]
    others = [hook for hook in config.get('custom_hooks') or [] if hook.get('type') not in types]
    config.custom_hooks = others + added
    if 'default_hooks' not in config:
        config.default_hooks = {}
    return config


def add_guards(config: Config) -> Config:
    """Return a copy of ``config`` with the hooks that a long run should not be without.

    They are default hooks, which a config changes or takes out (``None``) by their names.
    """
    config = add_hooks(config, 'InterruptHook')
    for name, kind in GUARDS.items():
        config.default_hooks.setdefault(name, {'type': f'{SCOPE}.{kind}'})
    return config


def add_service_hooks(config: Config) -> Config:
    """Return a copy of ``config`` with safe checkpoints and stops, and what workers need."""
    config = add_hooks(config, 'DataWorkersHook', 'GatherHook')
    for hook in config.custom_hooks:
        if hook['type'] == 'EarlyStoppingHook':  # mmengine's counts from zero in a resumed run
            hook['type'] = f'{SCOPE}.EarlyStoppingHook'
    hooks = config.default_hooks
    checkpoint = hooks.setdefault('checkpoint', {'type': 'CheckpointHook', 'interval': 1})
    if checkpoint is not None and checkpoint['type'] == 'CheckpointHook':
        checkpoint['type'] = f'{SCOPE}.CheckpointHook'
    return config
