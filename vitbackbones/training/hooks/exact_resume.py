"""A resumed run continues bit-exactly, as if it had never stopped.

mmengine resumes weights, optimizer, schedules and the order of the data, but no random state:
dropout, stochastic depth and augmentations differ after a resume. Here :mod:`vitbackbones.exact`
makes every random number a function of the seed and its place in the run. Whatever an evaluation
in between draws has no effect, and the data are entered where the run stopped, also within an
epoch.

docs/exact.md says what must be the same for the same bits. Gradients that were accumulated but not
applied yet are not saved: a run that resumes from such a checkpoint says so.
"""

import zlib

from mmengine.dataset import InfiniteSampler
from mmengine.hooks import Hook
from mmengine.runner import EpochBasedTrainLoop
from torch.utils.data import DataLoader, Sampler

from ... import exact
from ...registry import GROUPED

DATA_ORDER = 'data_stream'  # in a checkpoint: what the order of the data depends on
APPLIED = 'gradients_applied'  # in a checkpoint: whether it lacks none
EVALUATED = 'evaluated'  # in the records of a run: the iteration after which it was evaluated last
SETTINGS = 'settings'  # in a checkpoint: fingerprints of the parts of the config that count
PARTS = ('model', 'frozen', 'lora', 'train_dataloader', 'optim_wrapper', 'param_scheduler')
# What may change: where files lie, where weights came from, how fast data are read.
MAY_CHANGE = {'init_cfg', 'teacher_checkpoint', 'data_root', 'ann_file', 'data_prefix'}
MAY_CHANGE |= {'num_workers', 'persistent_workers', 'prefetch_factor', 'pin_memory', 'batch_size'}
# What of a changed part a run takes from its checkpoint all the same.
STAYS = {
    'optim_wrapper': ' (the learning rate stays as in the checkpoint)',
    'param_scheduler': ' (the learning rate follows the schedule of the checkpoint; for a new one, '
    'start from its weights with --cfg-options load_from=FILE instead of --resume)',
}
LOST = (
    'the checkpoint was saved between two optimizer steps, and the accumulated gradients are '
    'lost; save at multiples of optim_wrapper.accumulative_counts'
)


def gradients_applied(runner) -> bool:
    """Return whether the last batch ended an optimizer step, so no gradients are accumulated."""
    return runner.optim_wrapper.should_update()


def evaluation_is_owed(runner) -> bool:
    """Return whether a resumed run must start with the evaluation that its checkpoint precedes."""
    loop = runner.train_loop
    if runner.val_loop is None or runner.message_hub.runtime_info.get(EVALUATED, 0) == loop.iter:
        return False
    if isinstance(loop, EpochBasedTrainLoop):
        done = loop.epoch
        length = loop.max_epochs
        if loop.iter != done * len(loop.dataloader) and done != length:
            return False  # in the middle of an epoch
    else:
        done = loop.iter
        length = loop.max_iters
    loop._decide_current_val_interval()
    return done >= loop.val_begin and (done % loop.val_interval == 0 or done == length)


# ------------------------------------------------------------------------ the data


def restart(sampler: Sampler) -> None:
    """Restart a sampler, including one that never ends."""
    if isinstance(sampler, InfiniteSampler):
        sampler.indices = sampler._indices_of_rank()


class ResumedIterator:
    """The iterator of an iteration-based loop whose loader starts where the run stopped.

    Args:
        loader: starts at the right batch by itself.
        asked: how many batches the loop asks for in order to pass them; mmengine before 0.10.12
            loads each batch that was trained on.
    """

    def __init__(self, loader: DataLoader, asked: int) -> None:
        self.loader = loader
        self.asked = asked
        self.iterator = None

    def skip_iter(self, number: int) -> None:
        """Skip nothing: the loader starts at the right batch."""

    def __next__(self):
        if self.asked:
            self.asked -= 1
            return None
        if self.iterator is None:
            self.iterator = iter(self.loader)
        return next(self.iterator)


# ------------------------------------------------------------------------ the config


def fingerprints(config: dict) -> dict[str, int]:
    """Return a fingerprint of each part of a config that affects the rest of the training."""
    return {part: zlib.crc32(repr(_decisive(config.get(part))).encode()) for part in PARTS}


def _decisive(value):
    """Return ``value`` in a fixed order of keys, without what may change."""
    if isinstance(value, dict):
        # grouped parameters train as single ones, which runs of earlier versions had
        same = MAY_CHANGE | ({'constructor'} if value.get('constructor') == GROUPED else set())
        return [(key, _decisive(value[key])) for key in sorted(value) if key not in same]
    return list(map(_decisive, value)) if isinstance(value, list | tuple) else value


# ------------------------------------------------------------------------ the hook


class ExactResumeHook(Hook):
    """Makes random numbers a function of the place in the run, as the module docstring says."""

    priority = 'LOWEST'  # nothing draws between the seeding of an iteration and the step

    def __init__(self) -> None:
        self.saved: dict[str, int] = {}
        self.saved_settings: dict[str, int] = {}
        self.complete: bool | None = None  # unknown: of a file that does not say it

    def before_train(self, runner) -> None:
        loop = runner.train_loop
        by_epoch = isinstance(loop, EpochBasedTrainLoop)
        self.batches = exact.PlacedBatches(loop.dataloader.batch_sampler, endless=not by_epoch)
        self.images = len(loop.dataloader.dataset)
        self.views = getattr(loop.dataloader.dataset, 'drawn_views', 0)
        self._restore_order(runner)
        data = exact.SeededDataset(loop.dataloader.dataset, runner.seed)
        loop.dataloader = exact.rebuild(loop.dataloader, data, self.batches)
        if by_epoch:
            length = len(self.batches)
            done = loop.iter - loop.epoch * length
            same = self.saved.get(exact.LENGTH, length) == length  # else the epoch begins again
            self.batches.start = done if same and 0 <= done <= length else 0
        else:
            self.batches.start = loop.iter
            passes = hasattr(loop.dataloader_iterator, 'skip_iter')
            loop.dataloader_iterator = ResumedIterator(loop.dataloader, 0 if passes else loop.iter)

    def before_train_epoch(self, runner) -> None:
        self.batches.epoch = runner.epoch

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        exact.seed_step(runner.seed, runner.iter)

    # ------------------------------------------------------------------------ checkpoints

    def before_save_checkpoint(self, runner, checkpoint: dict) -> None:
        checkpoint[DATA_ORDER] = self._data_order()
        checkpoint[APPLIED] = gradients_applied(runner)
        checkpoint[SETTINGS] = fingerprints(runner.cfg)

    def after_load_checkpoint(self, runner, checkpoint: dict) -> None:
        self.saved = checkpoint.get(DATA_ORDER, {})
        self.saved_settings = checkpoint.get(SETTINGS, {})
        self.complete = checkpoint.get(APPLIED)

    def _data_order(self) -> dict[str, int]:
        """Return what the order of the data depends on."""
        order = self.batches.order()
        if isinstance(self.batches.sampler, InfiniteSampler):  # which gives no length of a process
            del order[exact.LENGTH], order[exact.SAMPLES]
        return {'number of images': self.images, 'views of an image': self.views, **order}

    def _restore_order(self, runner) -> None:
        """Give the sampler its old seed, and say what else makes a difference."""
        sampler = self.batches.sampler
        resumed = runner.iter > 0
        if resumed and exact.SAMPLER in self.saved:
            sampler.seed = self.saved[exact.SAMPLER]
        restart(sampler)  # mmengine may have begun to read from it
        if self.complete is None:
            self.complete = gradients_applied(runner)
        if not resumed:
            return
        differences = []
        if not self.saved:
            differences.append('the checkpoint does not contain the order of the data')
        else:
            settings = fingerprints(runner.cfg)
            differences.append(exact.compare_order(self.saved, self._data_order())[1])
            for key, was in self.saved_settings.items():
                if was != settings[key]:
                    differences.append(f'{key} of the config has changed{STAYS.get(key, "")}')
            if not self.complete:
                differences.append(LOST)
        if said := ', '.join(filter(None, differences)):
            runner.logger.warning(f'training continues, but not exactly as before: {said}')
