"""One forward of a model that is built on meta tensors, in ``mode='tensor'``.

The first attempt needs no numbers: all tensors are on the meta device. Code that reads numbers,
such as non-maximum suppression, fails there. Then all weights become zeros on the CPU, which costs
no time, and a small image runs through the model.
"""

import traceback
from collections.abc import Mapping
from typing import Any

import torch
from mmengine.config import Config
from torch import Tensor, nn

from vitbackbones.openmmlab.on_meta import OnMeta

META = 'on meta tensors'
ZEROS = 'with zeros as weights'
# sides of the image in pixels where the backbone does not tell
CLASSIFIED = 224
LARGE = 512
SMALL = (128, 320)  # on a CPU; the second where the first is too small
MOST = 2e8  # parameters of a model that is run on a CPU
LARGEST = 256  # the side of an image that is run on a CPU


def forward(model: nn.Module, config: Config) -> str:
    """Return how a model ran, :data:`META` or :data:`ZEROS`, or why it did not."""
    side = side_of(config.model)
    model.eval()
    try:
        with OnMeta(), torch.no_grad():
            run(model, side or (CLASSIFIED if is_classifier(model) else LARGE))
        return META
    except Exception as error:
        found = error
    count = sum(parameter.numel() for parameter in model.parameters())
    if count > MOST or side > LARGEST:  # ten seconds and more
        return f'{reason(found)} (too large for zeros)'
    fill_with_zeros(model)
    for each in [side] if side else SMALL:
        try:
            with torch.no_grad():
                run(model, each)
            return ZEROS
        except Exception as error:
            found = error
    return reason(found)


def is_classifier(model: nn.Module) -> bool:
    """Return whether a model is one of mmpretrain."""
    return type(model).__module__.startswith('mmpretrain')


def reason(error: Exception) -> str:
    """Return an error in one line, with the line of code where it says nothing."""
    said = str(error) or traceback.extract_tb(error.__traceback__)[-1].line
    return f'{type(error).__name__}: {" ".join(said.split())}'


def side_of(model: Mapping[str, Any]) -> int:
    """Return the side of the images that a backbone is made for, 0 where it does not tell."""
    size = (model.get('backbone') or {}).get('img_size') or 0
    return int(max(size)) if isinstance(size, list | tuple) else int(size)


def run(model: nn.Module, side: int) -> None:
    """Run an image through a model of any toolbox."""
    image = torch.zeros(1, 3, side, side)
    toolbox = type(model).__module__.partition('.')[0]
    if toolbox == 'mmdet':
        from mmdet.structures import DetDataSample

        shape = (side, side)
        known = {'img_shape': shape, 'batch_input_shape': shape, 'pad_shape': shape}
        known |= {'ori_shape': shape, 'scale_factor': (1.0, 1.0)}
        model(image, [DetDataSample(metainfo=known)], mode='tensor')
    else:
        model(image, mode='tensor')


def fill_with_zeros(model: nn.Module) -> None:
    """Give a model on the meta device zeros on the CPU, also for tensors that are no buffers."""
    model.to_empty(device='cpu')
    for tensor in (*model.parameters(), *model.buffers()):
        tensor.detach().zero_()
    for module in model.modules():
        for name, value in vars(module).items():
            if isinstance(value, Tensor) and value.is_meta:
                setattr(module, name, torch.zeros_like(value, device='cpu'))
