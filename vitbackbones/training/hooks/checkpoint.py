"""Checkpoints that survive a kill at any moment.

mmengine writes a checkpoint over the old file and, with ``max_keep_ckpts``, deletes the oldest
before it writes the new one. Killed in between (a full disk, the end of a Slurm job), a run has
lost what it had. Here a file gets its name only when it is complete, and what it replaces goes
after that.

A regular checkpoint is written before the evaluation that follows it, and again after that, also
where nothing was better than before: a run that resumes from the first begins with the evaluation.
"""

import inspect
from contextlib import suppress
from pathlib import Path

from mmengine.fileio import LocalBackend
from mmengine.hooks import CheckpointHook as MMEngineCheckpointHook

from ...errors import InputError
from ...utils.messages import did_you_mean
from .exact_resume import EVALUATED


class CheckpointHook(MMEngineCheckpointHook):
    """mmengine's hook, deleting outdated checkpoints after the new one is on the disk.

    Raises:
        InputError: an unknown option; mmengine would fail on it at the first checkpoint.
    """

    def __init__(self, **options) -> None:
        super().__init__(**options)
        self.evaluated: int | None = None  # what the newest checkpoint holds as EVALUATED
        if self.args:
            unknown = next(iter(self.args))
            hint = did_you_mean(unknown, list(inspect.signature(MMEngineCheckpointHook).parameters))
            raise InputError(f'default_hooks.checkpoint.{unknown}: unknown key{hint}')

    def before_train(self, runner) -> None:
        super().before_train(runner)

        def here(name: str) -> str | None:
            """Return a recorded file in this work dir: a run may resume from another's."""
            path = runner.message_hub.runtime_info.get(name)
            return path and self.file_backend.join_path(self.out_dir, Path(path).name)

        several = getattr(self, 'key_indicators', ())
        self.last_ckpt = here('last_ckpt')
        self.best_ckpt_path = here('best_ckpt')
        self.best_ckpt_path_dict = {key: here(f'best_ckpt_{key}') for key in several}
        self.file_backend = _LateRemoval(self.file_backend)

    def after_val_epoch(self, runner, metrics) -> None:
        runner.message_hub.update_info(EVALUATED, runner.iter)
        super().after_val_epoch(runner, metrics)
        step = runner.epoch if self.by_epoch else runner.iter
        is_saved = Path(self.last_ckpt or '').name == self.filename_tmpl.format(step)
        if is_saved and self.evaluated != runner.iter:
            meta = {'epoch': runner.epoch, 'iter': runner.iter}
            self._save_checkpoint_with_step(runner, step, meta)

    def _save_checkpoint_with_step(self, runner, step, meta) -> None:
        self.evaluated = runner.message_hub.runtime_info.get(EVALUATED)
        super()._save_checkpoint_with_step(runner, step, meta)
        self.file_backend.remove_all_but({self.last_ckpt})

    def _save_best_checkpoint(self, runner, metrics) -> None:
        if self.save_best and not {*self.key_indicators} <= {'auto', *metrics}:
            raise InputError(
                f'default_hooks.checkpoint.save_best: {self.key_indicators} is not a metric of '
                f'this run; use one of {", ".join(metrics)}'
            )
        super()._save_best_checkpoint(runner, metrics)
        best = [getattr(self, 'best_ckpt_path', None)]
        best += getattr(self, 'best_ckpt_path_dict', {}).values()
        self.file_backend.remove_all_but({self.last_ckpt, *best})


class _LateRemoval:
    """A file backend that collects what to remove until it is told to."""

    def __init__(self, backend: LocalBackend) -> None:
        self._backend = backend
        self._outdated: list[str] = []

    def __getattr__(self, name: str):
        return getattr(self._backend, name)

    def remove(self, path: str) -> None:
        self._outdated.append(path)

    def remove_all_but(self, kept: set[str]) -> None:
        """Remove what was asked for, except a file that was since written again."""
        for path in set(self._outdated) - kept:
            with suppress(FileNotFoundError):  # the user was faster
                self._backend.remove(path)
        self._outdated.clear()
