"""What mmcv's compiled operators answer, over their options.

Beside mmcv with its operators, ``python -m tests.golden.operators`` in the project's root records
inputs, outputs and gradients in ``operators.safetensors``. The same calls are compared without the
extension in ``tests/openmmlab/operators/test_golden.py``.
"""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import mmcv._ext
import torch
from mmcv.ops import RoIAlign, batched_nms, deform_conv2d, modulated_deform_conv2d, nms
from mmcv.ops.multi_scale_deform_attn import multi_scale_deformable_attn_pytorch
from mmdet.models.layers.bbox_nms import multiclass_nms
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import conv2d

FILE = Path(__file__).with_suffix('.safetensors')


class Calls(NamedTuple):
    """Calls of one operator on the same inputs.

    Attributes:
        inputs: returns random ones, by name.
        call: takes the inputs and one of the options, returns tensors to compare.
        options: keyword arguments of each call.
    """

    inputs: Callable[[], dict[str, Tensor]]
    call: Callable[..., list[Tensor]]
    options: list[dict]


def _grid(**values) -> list[dict]:
    return [dict(zip(values, each, strict=True)) for each in product(*values.values())]


def differentiated(function: Callable[..., Tensor], *inputs: Tensor) -> list[Tensor]:
    """Return the output and the gradients of floating inputs from a fixed one of the output."""
    inputs = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    output = function(*inputs)
    grad = torch.arange(output.numel(), dtype=output.dtype).cos().view_as(output)
    output.backward(grad)
    return [output.detach(), *(x.grad for x in inputs if x.grad is not None)]


# ------------------------------------------------------------------------ inputs


def _boxes(number: int = 40, size: int = 60) -> Tensor:
    corner, side = torch.rand(number, 2) * size, torch.rand(number, 2) * size / 2
    return torch.cat([corner, corner + side], dim=1)


def _scored() -> dict[str, Tensor]:
    boxes = _boxes()
    boxes[7, 2] = float('nan')
    boxes[9, 2:] = boxes[9, :2]
    return {'boxes': boxes, 'scores': torch.rand(40)}


def _tied() -> dict[str, Tensor]:
    """Few boxes: torch's unstable sort depends on the processor from 17 on."""
    return {'boxes': _boxes(14, 20).round(), 'scores': torch.randint(1, 4, (14,)) / 4}


def _regions() -> dict[str, Tensor]:
    rois = torch.cat([torch.randint(0, 2, (8, 1)), _boxes(8) - 6], dim=1)
    rois[3, 3] = rois[3, 1]  # no width
    return {'input': torch.randn(2, 3, 9, 12), 'rois': rois}


def _convolution() -> dict[str, Tensor]:
    return {
        'input': torch.randn(2, 4, 7, 8),
        'weight': torch.randn(6, 4, 3, 3),
        'offset': torch.randn(2, 36, 7, 8) * 2,
        'mask': torch.rand(2, 18, 7, 8),
        'bias': torch.randn(6),
    }


def _attention() -> dict[str, Tensor]:
    weights = torch.rand(2, 5, 2, 4).softmax(-1)  # (B, Q, H, L P)
    return {
        'value': torch.randn(2, 26, 2, 4),  # levels of 4 x 5 and 2 x 3
        'locations': torch.rand(2, 5, 2, 2, 2, 2) * 1.4 - 0.2,
        'weights': weights.view(2, 5, 2, 2, 2),
    }


# ------------------------------------------------------------------------ calls


def _batched_nms(boxes: Tensor, scores: Tensor, **options) -> list[Tensor]:
    boxes = boxes.nan_to_num()  # the largest coordinate shifts the classes
    return list(batched_nms(boxes, scores, torch.arange(len(boxes)) % 3, options))


def _multiclass_nms(boxes: Tensor, scores: Tensor, **options) -> list[Tensor]:
    each = torch.stack([scores, 1 - scores, scores * 0], dim=1)  # the last is the background
    return list(multiclass_nms(boxes.nan_to_num(), each, 0.1, **options))


def _roi_align(input: Tensor, rois: Tensor, **options) -> list[Tensor]:
    align = RoIAlign((3, 4), spatial_scale=0.2, **options)
    return differentiated(lambda input: align(input, rois), input)


def _places(input, weight, offset, mask, deform_groups, **options) -> tuple[Tensor, Tensor]:
    """Return offset and mask as large as the output and for as many groups."""
    height, width = conv2d(input, weight, **options).shape[2:]
    here = (slice(None), slice(deform_groups * 9), slice(height), slice(width))
    twice = (slice(None), slice(deform_groups * 18), slice(height), slice(width))
    return offset[twice].contiguous(), mask[here].contiguous()


def _deform_conv(input, weight, offset, mask, bias, deform_groups, **options) -> list[Tensor]:
    weight = weight[:, : 4 // options['groups']].contiguous()
    offset, _ = _places(input, weight, offset, mask, deform_groups, **options)
    geometry = (*options.values(), deform_groups)
    return differentiated(lambda *x: deform_conv2d(*x, *geometry), input, offset, weight)


def _modulated(
    input, weight, offset, mask, bias, deform_groups, with_bias, **options
) -> list[Tensor]:
    weight = weight[:, : 4 // options['groups']].contiguous()
    moved = _places(input, weight, offset, mask, deform_groups, **options)
    inputs = [input, *moved, weight, *([bias] if with_bias else [])]
    rest = ([] if with_bias else [None]) + [*options.values(), deform_groups]
    return differentiated(lambda *x: modulated_deform_conv2d(*x, *rest), *inputs)


def _deformable_attention(value, locations, weights) -> list[Tensor]:
    shapes = torch.tensor([[4, 5], [2, 3]])

    def attend(value, locations, weights):
        return multi_scale_deformable_attn_pytorch(value, shapes, locations, weights)

    return differentiated(attend, value, locations, weights)


_THRESHOLDS = _grid(iou_threshold=[0.3, 0.5], offset=[0, 1])
_GEOMETRY = [
    {'stride': 1, 'padding': 1, 'dilation': 1, 'groups': 1, 'deform_groups': 1},
    {'stride': 2, 'padding': 1, 'dilation': 1, 'groups': 2, 'deform_groups': 2},
    {'stride': (1, 2), 'padding': (1, 2), 'dilation': 2, 'groups': 1, 'deform_groups': 2},
]
CALLS = {
    'nms': Calls(_scored, nms, _THRESHOLDS),
    'nms_of_ties': Calls(_tied, nms, _THRESHOLDS),
    'nms_of_the_best': Calls(_scored, nms, [{'iou_threshold': 0.5, 'score_threshold': 0.4}]),
    'batched_nms': Calls(_scored, _batched_nms, _grid(iou_threshold=[0.5], split_thr=[10, 1000])),
    'multiclass_nms': Calls(
        _scored, _multiclass_nms, [{'nms_cfg': {'iou_threshold': 0.5}, 'max_num': 30}]
    ),
    'roi_align': Calls(
        _regions,
        _roi_align,
        _grid(aligned=[False, True], sampling_ratio=[0, 2]),
    ),
    'deform_conv': Calls(_convolution, _deform_conv, _GEOMETRY),
    'modulated_deform_conv': Calls(
        _convolution,
        _modulated,
        [{**each, 'with_bias': bias} for each in _GEOMETRY for bias in (True, False)],
    ),
    'deformable_attention': Calls(_attention, _deformable_attention, [{}]),
}


# ------------------------------------------------------------------------ the file


def compared(name: str) -> Iterator[tuple[dict, list[Tensor], list[Tensor]]]:
    """Yield for each call of an operator its options, what it answers now, and what it did."""
    tensors, start = load_file(FILE), f'{name}/in/'
    inputs = {k.removeprefix(start): x for k, x in tensors.items() if k.startswith(start)}
    for i, options in enumerate(CALLS[name].options):
        answers = CALLS[name].call(**inputs, **options)
        yield options, answers, [tensors[f'{name}/{i}/{j}'] for j in range(len(answers))]


def record() -> None:
    """Write the file."""
    assert hasattr(mmcv._ext, '__file__'), 'run it beside mmcv with its operators'
    torch.manual_seed(0)
    tensors = {}
    for name, calls in CALLS.items():
        inputs = calls.inputs()
        tensors |= {f'{name}/in/{key}': x for key, x in inputs.items()}
        for i, options in enumerate(calls.options):
            answers = calls.call(**inputs, **options)
            tensors |= {f'{name}/{i}/{j}': x.contiguous() for j, x in enumerate(answers)}
    save_file(tensors, FILE)


if __name__ == '__main__':
    record()
