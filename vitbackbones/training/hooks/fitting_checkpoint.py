"""Check that a checkpoint fits the model, and the run that continues from it.

mmengine loads a checkpoint of another model with a warning, which costs a day before it is noticed.
"""

from collections.abc import Sequence
from types import NoneType

from mmengine.hooks import Hook
from mmengine.model import BaseTTAModel, is_model_wrapper
from torch import Tensor, nn
from torch.optim import Optimizer

from ...errors import InputError
from ...utils.messages import plural, shorten
from ...weights.convert.whole_models import is_mmdet_one
from ...weights.filling import adapt_state, compare, errors_name_file, require_finite
from ...weights.read.class_names import checkpoint_meta, require_same_names
from ...weights.read.load import require_form
from ..param_groups import follow_kernel, regroup
from .adapters import UNMERGED
from .ema import AVERAGED, LAST, MMENGINE, STEPS, EMAHook
from .exact_resume import APPLIED, DATA_ORDER, SETTINGS, evaluation_is_owed

# What a run needs to continue from, by its place in the checkpoint.
RESUMABLE = {
    'meta': dict,
    'meta.epoch': int,
    'meta.iter': int,
    'state_dict': dict,
    'optimizer': dict,
    'optimizer.state': dict,
    'optimizer.state.*': dict,
    'optimizer.param_groups': list,
    'optimizer.param_groups.*': dict,
    'optimizer.param_groups.*.params': list,
    'optimizer.param_groups.*.params.*': int,
    'message_hub': dict,
    'message_hub.log_scalars': dict,
    'message_hub.runtime_info': dict,
    'message_hub.resumed_keys': dict,
}
# What it reads besides, if it is there.
OPTIONAL = {
    'meta.seed': (int, NoneType),
    'message_hub.runtime_info.keep_ckpt_ids': list,
    'message_hub.runtime_info.keep_ckpt_ids.*': int,
    'optimizer.loss_scaler': dict,
    'param_schedulers': list,
    'param_schedulers.*': dict,
    **dict.fromkeys((LAST, AVERAGED, MMENGINE), dict),
    **dict.fromkeys((f'{LAST}.*', f'{AVERAGED}.*', f'{MMENGINE}.*'), Tensor),
    STEPS: Tensor,
    APPLIED: bool,
    DATA_ORDER: dict,
    f'{DATA_ORDER}.*': int,
    SETTINGS: dict,
    f'{SETTINGS}.*': int,
}

START_FROM_WEIGHTS = 'To start from its weights, use --cfg-options load_from=FILE.'
OF_MMDET_ONE = (
    'it is a detector of mmdet 1, which numbers the classes in another order. Convert it in the '
    'folder tools/model_converters of a clone of mmdet: python upgrade_model_version.py OLD.pth '
    'NEW.pth --num-classes N, where N counts the background'
)
# State that torch's fused optimizers write to without comparing its size with the parameter's.
ALIKE = ('exp_avg', 'exp_avg_sq', 'max_exp_avg_sq', 'momentum_buffer', 'sum')


class FittingCheckpointHook(Hook):
    """Stop a run whose checkpoint belongs to another model, or cannot be resumed from.

    Args:
        path: the checkpoint file, for messages.
        resume: whether training continues from it; otherwise it is evaluated.
    """

    priority = 'VERY_HIGH'  # before averages of the weights take what they need

    def __init__(self, path: str, resume: bool) -> None:
        self.path = path
        self.resume = resume

    def after_load_checkpoint(self, runner, checkpoint: dict) -> None:
        """Compare the file with the model (and optimizer) before mmengine copies anything.

        Raises:
            InputError: something does not fit; the message says what.
        """
        loop = runner.train_loop if self.resume else runner.test_loop
        own = getattr(loop.dataloader.dataset, 'metainfo', {}).get('classes')
        require_same_names(checkpoint_meta(checkpoint).get('classes'), own, self.path)
        model = runner.model
        while is_model_wrapper(model) or isinstance(model, BaseTTAModel):
            model = model.module
        if self.resume:
            for name, layers in checkpoint.get(UNMERGED, {}).items():
                checkpoint[name] = {**checkpoint.get(name, {}), **layers}
        given = fitting_state(self.path, model, checkpoint)
        checkpoint.setdefault('state_dict', given)  # EMAHook asks for it in a file of weights too
        if not self.resume:
            return
        if not {'meta', 'optimizer', 'message_hub'} <= set(checkpoint):
            raise InputError(
                f'{self.path} contains only weights, so training cannot be resumed from it. '
                f'{START_FROM_WEIGHTS}'
            )
        require_form(self.path, checkpoint, RESUMABLE, complete=True)
        require_form(self.path, checkpoint, OPTIONAL)
        optimizer = runner.optim_wrapper.optimizer
        regroup(checkpoint, model, optimizer)
        _require_same_groups(self.path, checkpoint['optimizer'], optimizer)
        for name in (LAST, AVERAGED, MMENGINE):
            require_finite(self.path, checkpoint.get(name, {}))
        # another hook, or none, would mix up the two sets
        if STEPS in checkpoint and not any(isinstance(hook, EMAHook) for hook in runner.hooks):
            raise InputError(
                f'{self.path}: its run averaged the weights with vitbackbones.EMAHook, but the '
                f'config has no such hook; add it as default_hooks.ema. {START_FROM_WEIGHTS}'
            )
        _require_same_schedules(self.path, checkpoint, runner.param_schedulers)

    def before_train(self, runner) -> None:
        if not self.resume:
            return
        follow_kernel(runner.optim_wrapper.optimizer)
        if runner.iter >= runner.max_iters and not evaluation_is_owed(runner):
            runner.logger.warning(f'{self.path}: the training is already complete')


def fitting_state(path: str, model: nn.Module, checkpoint: dict) -> dict[str, Tensor]:
    """Return the tensors of a checkpoint, ready to be loaded into ``model``.

    Raises:
        InputError: it is of another model (which tensors are missing, left over or of another
            shape), or holds values that are not finite.
    """
    with errors_name_file(path):
        state = checkpoint.get('state_dict', checkpoint)
        given = {k.removeprefix('module.'): v for k, v in state.items() if isinstance(v, Tensor)}
        if is_mmdet_one(given):
            raise InputError(OF_MMDET_ONE)
        given = in_todays_keys(model, adapt_state(model, given))
    compared = compare(model, given)
    problems = {
        'missing from it': compared.missing,
        'not in the model': compared.unused,
        'of another shape': compared.mismatched,
    }
    lines = [
        f'{len(keys)} tensors {what}: {shorten(keys)}' for what, keys in problems.items() if keys
    ]
    if lines:
        raise InputError('\n  '.join([f'{path} is not a checkpoint of this model:', *lines]))
    require_finite(path, given)
    return given


def in_todays_keys(model: nn.Module, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return a state dict in which the parts of a toolbox's model have renamed their old keys.

    They do so while they are loaded. Here only those that have no tensor of their own are asked,
    which leaves the model as it is.
    """
    state = dict(state)
    for name, part in model.named_modules():
        if not part._parameters and not part._buffers:
            prefix = f'{name}.' if name else ''
            part._load_from_state_dict(state, prefix, {}, False, [], [], [])
    return state


def _require_same_groups(path: str, saved: dict, optimizer: Optimizer) -> None:
    """Check that the saved state of an optimizer is one of the optimizer's parameters."""
    numbers = [group['params'] for group in saved['param_groups']]
    parameters = [group['params'] for group in optimizer.param_groups]
    given = list(map(len, numbers))
    own = list(map(len, parameters))
    if given != own:
        raise InputError(
            f'{path}: its optimizer has {len(given)} groups of {sum(given)} parameters, but the '
            f'config has {len(own)} groups of {sum(own)}; optim_wrapper has changed. '
            f'{START_FROM_WEIGHTS}'
        )
    for number, parameter in zip(sum(numbers, []), sum(parameters, []), strict=True):
        state = saved['state'].get(number, {})
        for key in ALIKE:
            value = state.get(key)
            if value is None:
                continue
            dense = isinstance(value, Tensor) and (
                value.is_contiguous() or value.stride() == parameter.stride()
            )
            if not dense or value.shape != parameter.shape:
                raise InputError(
                    f'{path}: optimizer.state.{number}.{key} does not have the shape of its '
                    'parameter; the file is damaged, or belongs to another model or --size'
                )


def _require_same_schedules(
    path: str, checkpoint: dict, schedulers: Sequence | dict | None
) -> None:
    """Refuse states of other schedules: mmengine makes each entry an attribute, in order."""
    saved = checkpoint.get('param_schedulers') or ()
    for state, scheduler in zip(saved, schedulers or (), strict=False):
        for key in state:
            if key == 'optimizer' or hasattr(type(scheduler), str(key)):
                raise InputError(
                    f'{path}: param_schedulers.*.{key} is not part of the state of a schedule; '
                    'the file is damaged, or not a checkpoint of mmengine'
                )
    if saved and schedulers and len(saved) != len(schedulers):
        raise InputError(
            f'{path}: its run has {plural(len(saved), "schedule")} (param_scheduler), but the '
            f'config has {len(schedulers)}; continue with the config in its work dir, without '
            f'--steps and --epochs. {START_FROM_WEIGHTS}'
        )
