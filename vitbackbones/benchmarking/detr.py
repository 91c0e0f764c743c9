"""DETR in mmdet's form and in this project's, with the same weights: whole, or its transformer."""

import copy
from collections.abc import Callable
from pathlib import Path

import torch
from mmdet.registry import MODELS
from mmdet.structures import DetDataSample
from mmdet.utils import register_all_modules
from mmengine.config import Config
from mmengine.structures import InstanceData
from torch import Tensor, nn

GRIDS = {1050: (25, 42), 4200: (50, 84)}  # tokens: (h, w)
KINDS = {'mmdet': 'DETR', 'vitbackbones': 'vitbackbones.DETR'}


def build_pair(config: Path, device: torch.device, dropout: bool) -> dict[str, nn.Module]:
    """Build the DETR of the model config ``config`` in both forms, with the same weights."""
    register_all_modules(init_default_scope=True)
    settings = Config.fromfile(config).model
    settings.backbone = {'type': 'ResNet', 'depth': 18, 'out_indices': (3,)}
    settings.neck.in_channels = [512]
    models = {}
    for name, kind in KINDS.items():
        torch.manual_seed(0)
        models[name] = MODELS.build(copy.deepcopy(settings) | {'type': kind}).to(device)
        if not dropout:
            _remove_dropout(models[name])
    return models


def _remove_dropout(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0


def make_batch(
    size: tuple[int, int], batch: int, device: torch.device
) -> tuple[Tensor, list[DetDataSample]]:
    """Return images (N, 3, H, W) and their samples with ten objects each.

    Every second picture fills three quarters of the width; the rest is padding.
    """
    draw = torch.Generator().manual_seed(0)
    image = torch.randn(batch, 3, *size, generator=draw).to(device)
    samples = []
    for number in range(batch):
        height, width = size[0], size[1] * (4 - number % 2) // 4
        corners = torch.rand(10, 2, 2, generator=draw).sort(1).values * torch.tensor(
            [width, height]
        )
        boxes = corners.flatten(1).to(device)  # (10, 2, 2) -> (10, 4), x1 y1 x2 y2
        shapes = {'img_shape': (height, width), 'batch_input_shape': size}
        objects = InstanceData(bboxes=boxes, labels=torch.arange(10, device=device))
        samples.append(DetDataSample(metainfo=shapes, gt_instances=objects))
    return image, samples


def make_step(model: nn.Module, grid: tuple[int, int], batch: int, train: bool) -> Callable:
    """Return a function that runs encoder and decoder on a map (batch, 256, h, w), back if train.

    Args:
        model: one of :func:`build_pair`.
        grid: h and w of the map.
        batch: number of images.
        train: whether to compute the gradients, too.
    """
    device = next(model.parameters()).device
    generator = torch.Generator().manual_seed(0)
    feature = torch.randn(batch, 256, *grid, generator=generator).to(device)
    shape = tuple(32 * side for side in grid)
    sample = DetDataSample(metainfo={'img_shape': shape, 'batch_input_shape': shape})

    def step() -> Tensor:
        with torch.set_grad_enabled(train):
            hidden = model.forward_transformer((feature,), [sample] * batch)['hidden_states']
        if train:
            model.zero_grad()
            hidden.square().mean().backward()
        return hidden

    model.train(train)
    return step
