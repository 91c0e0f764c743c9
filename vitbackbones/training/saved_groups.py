"""Go on from a checkpoint whose optimizer had a group for each parameter.

Runs of earlier versions with a ``paramwise_cfg`` saved such checkpoints, and so do runs that
mmengine's runner starts by itself. The groups are joined here as ``param_groups`` joins those of a
new run; what belongs to a single parameter, such as its momentum, stays as it is.
"""

from torch import nn
from torch.optim import Optimizer

# what mmengine's schedules keep for each group
PER_GROUP = ('base_values', '_last_value', 'min_values')


def regroup(checkpoint: dict, model: nn.Module, optimizer: Optimizer) -> None:
    """Join the saved groups, in place, as the optimizer has them.

    A checkpoint is left alone unless it has one group for each parameter of the optimizer, and
    these had equal options wherever they share a group now.

    Args:
        checkpoint: with the states ``optimizer`` and, if there are any, ``param_schedulers``.
        model: gives the order of the parameters, which was that of the groups.
        optimizer: what will load it.
    """
    groups = optimizer.param_groups
    saved = checkpoint['optimizer']['param_groups']
    members = _members(groups, model)
    single = all(len(group['params']) == 1 for group in saved)
    if len(saved) == len(groups) or not single or len(saved) != sum(map(len, members)):
        return
    joined = [_joined([saved[number] for number in numbers]) for numbers in members]
    if None in joined:
        return
    checkpoint['optimizer']['param_groups'] = joined
    for state in checkpoint.get('param_schedulers') or ():
        for key in set(PER_GROUP) & set(state):
            beside = state[key][len(saved) :]  # mmengine's base rate
            state[key] = [state[key][numbers[0]] for numbers in members] + beside


def follow_kernel(optimizer: Optimizer) -> None:
    """Let a loss scaler treat the optimizer as the kernel of the groups that it has loaded needs.

    torch decides this when it builds the optimizer, but loading replaces all options of a group.
    A scaler hands its scale to a fused kernel; the others refuse it.
    """
    optimizer._step_supports_amp_scaling = any(g.get('fused') for g in optimizer.param_groups)


def _members(groups: list[dict], model: nn.Module) -> list[list[int]]:
    """Return for each group the numbers of its parameters, counted in the order of the model."""
    trained = {parameter for group in groups for parameter in group['params']}
    ordered = [parameter for parameter in model.parameters() if parameter in trained]
    number = {parameter: place for place, parameter in enumerate(ordered)}
    return [[number[parameter] for parameter in group['params']] for group in groups]


def _joined(single: list[dict]) -> dict | None:
    """Return groups of one parameter as one, None if their options differ."""
    options = [{key: group[key] for key in group if key != 'params'} for group in single]
    if any(each != options[0] for each in options):
        return None
    return {**options[0], 'params': [group['params'][0] for group in single]}
