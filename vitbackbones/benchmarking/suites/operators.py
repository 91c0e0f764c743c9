"""mmcv's operators without its compiled extension, beside the compiled ones where there are some.

The sizes are those of an image of 800 x 1333 pixels or a part of it. The extension is taken from
``--compiled FOLDER``, which holds ``mmcv/_ext*.so``. On a CPU it has no focal losses and no
``roi_pool``; its multi-scale attention there is a function in Python.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import torch
from torch import Tensor

from ...errors import InputError
from ..model_sources import Source
from ..timing import compare

STAND_IN = 'vitbackbones.openmmlab.operators:Operators'
LEVELS = ((64, 84), (32, 42), (16, 21), (8, 11))
Calls = dict[str, Callable[[], object]]


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row for each operator and form; ``ratio`` is to the compiled one.

    Raises:
        InputError: there is no extension in the folder of ``options.compiled``.
    """
    torch.manual_seed(0)
    forms = {'ours': resolve_name(STAND_IN)('mmcv._ext')}
    if options.compiled:
        forms = {'compiled': _extension(Path(options.compiled)), **forms}
    device = options.device
    for name, case in CASES.items():
        calls = case(forms, device)
        for row in compare(calls, device, options.repeats, options.warm_up):
            yield {'operator': name, **row}


def _extension(folder: Path) -> ModuleType:
    """Return the extension of an mmcv that is not the installed one."""
    found = sorted(folder.glob('mmcv/_ext*.so'))
    if not found:
        raise InputError(f'--compiled {folder}: there is no mmcv/_ext*.so')
    spec = spec_from_file_location('compiled._ext', found[0])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ------------------------------------------------------------------------ operators


def _boxes(number: int, device: torch.device) -> Tensor:
    corner, side = torch.rand(number, 2) * 1000, torch.rand(number, 2) * 300
    return torch.cat([corner, corner + side], dim=1).to(device)


def _nms(forms: dict[str, ModuleType], device: torch.device) -> Calls:
    boxes, scores = _boxes(2000, device), torch.rand(2000, device=device)
    return {name: partial(ext.nms, boxes, scores, 0.7, 0) for name, ext in forms.items()}


def _softnms(forms: dict[str, ModuleType], device: torch.device) -> Calls:
    boxes, scores, dets = _boxes(1000, 'cpu'), torch.rand(1000), torch.zeros(1000, 5)
    inputs = (boxes, scores, dets, 0.3, 0.5, 1e-3, 1, 0)
    return {name: partial(ext.softnms, *inputs) for name, ext in forms.items()}


def _nms_match(forms: dict[str, ModuleType], device: torch.device) -> Calls:
    dets = torch.cat([_boxes(1000, 'cpu'), torch.rand(1000, 1)], dim=1)
    return {name: partial(ext.nms_match, dets, 0.5) for name, ext in forms.items()}


def _bbox_overlaps(forms: dict[str, ModuleType], device: torch.device) -> Calls:
    first, second = _boxes(5000, device), _boxes(50, device)
    ious = torch.zeros(5000, 50, device=device)
    inputs = (first, second, ious, 0, False, 0)
    return {name: partial(ext.bbox_overlaps, *inputs) for name, ext in forms.items()}


def _roi_align(mode: int, backward: bool, forms: dict[str, ModuleType], device) -> Calls:
    maps = torch.randn(1, 64, 100, 168, device=device)
    image = torch.zeros(256, 1, device=device)
    rois = torch.cat([image, _boxes(256, device)], dim=1)
    output = torch.zeros(256, 64, 7, 7, device=device)
    places = [torch.zeros_like(output) for _ in range(2)]
    options = (7, 7, 0.125, 0, mode, True)
    name = 'roi_align_backward' if backward else 'roi_align_forward'
    inputs = (output, rois, *places, maps) if backward else (maps, rois, output, *places)
    return {form: partial(getattr(ext, name), *inputs, *options) for form, ext in forms.items()}


def _modulated(forms: dict[str, ModuleType], device: torch.device) -> Calls:
    """Forward and backward, with the gradients of all inputs."""
    x, weight, bias = torch.randn(1, 128, 50, 84), torch.randn(128, 128, 3, 3), torch.zeros(128)
    offset, mask = torch.randn(1, 18, 50, 84), torch.rand(1, 9, 50, 84)
    inputs = [each.to(device) for each in (x, weight, bias, offset, mask)]
    return {form: partial(_convolve, ext, *inputs) for form, ext in forms.items()}


def _convolve(ext: ModuleType, x, weight, bias, offset, mask) -> None:
    output, scratch = torch.empty_like(x), x.new_empty(0)
    geometry = (3, 3, 1, 1, 1, 1, 1, 1, 1, 1, True)
    ext.modulated_deform_conv_forward(
        x, weight, bias, scratch, offset, mask, output, scratch, *geometry
    )
    x_grad, weight_grad, bias_grad, offset_grad, mask_grad = (
        torch.zeros_like(each) for each in (x, weight, bias, offset, mask)
    )
    grads = (x_grad, weight_grad, bias_grad, offset_grad, mask_grad)
    inputs = (x, weight, bias, scratch, offset, mask, scratch, *grads, output)
    ext.modulated_deform_conv_backward(*inputs, *geometry)


# ------------------------------------------------------------------------ attention


def _attention(forms: dict[str, ModuleType], device: torch.device) -> Calls:
    """Forward and backward of one encoder layer, mmcv's function of plain torch first."""
    module = import_module('mmcv.ops.multi_scale_deform_attn')
    ours = module.multi_scale_deformable_attn_pytorch
    shapes = torch.tensor(LEVELS, device=device)
    tokens = int(shapes.prod(1).sum())
    value = torch.randn(1, tokens, 8, 32, device=device, requires_grad=True)
    places = torch.rand(1, tokens, 8, len(LEVELS), 4, 2, device=device, requires_grad=True)
    weights = torch.rand(1, tokens, 8, len(LEVELS), 4, device=device, requires_grad=True)

    def step(attend: Callable) -> None:
        attend(value, shapes, places, weights).sum().backward()
        value.grad = places.grad = weights.grad = None

    plain = getattr(ours, '__wrapped__', ours)  # the original, where it is patched
    return {'mmcv in Python': partial(step, plain), 'ours': partial(step, ours)}


CASES: dict[str, Callable[[dict[str, ModuleType], torch.device], Calls]] = {
    'nms, 2000 boxes': _nms,
    'softnms, 1000 boxes': _softnms,
    'nms_match, 1000 boxes': _nms_match,
    'bbox_overlaps, 5000 x 50': _bbox_overlaps,
    'roi_align, 256 regions': partial(_roi_align, 1, False),
    'roi_align, backward': partial(_roi_align, 1, True),
    'roi_align, maximum': partial(_roi_align, 0, False),
    'modulated_deform_conv, both ways': _modulated,
    'ms_deform_attn, both ways': _attention,
}
