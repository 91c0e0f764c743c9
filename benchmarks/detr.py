"""DETR's transformer, mmdet's against this project's, in one run.

Both hold the same weights and get the same feature map, without padding. 1050 tokens are an
800 x 1333 image at stride 32, 4200 the same image at stride 16, where score matrices are 16 times
as large. On a CPU no fused kernel has dropout, which the config trains with.
"""

import copy
from argparse import Namespace
from collections.abc import Callable, Iterator
from itertools import product

import torch
from mmdet.registry import MODELS
from mmdet.structures import DetDataSample
from mmdet.utils import register_all_modules
from mmengine.config import Config
from mmengine.structures import InstanceData
from torch import Tensor, nn

from vitbackbones.commands.cli import count
from vitbackbones.configuration.names import CONFIGS

from .command import start
from .timing import compare

GRIDS = {1050: (25, 42), 4200: (50, 84)}  # tokens: (h, w)
KINDS = {'mmdet': 'DETR', 'ours': 'vitbackbones.DETR'}
WIDTHS = {18: 512, 50: 2048}


def build_pair(device: torch.device, depth: int = 18) -> dict[str, nn.Module]:
    """Build DETR on a ResNet in both forms, with the same weights."""
    register_all_modules(init_default_scope=True)
    settings = Config.fromfile(CONFIGS / '_base_' / 'models' / 'detr.py').model
    settings.backbone = {'type': 'ResNet', 'depth': depth, 'out_indices': (3,)}
    settings.neck.in_channels = [WIDTHS[depth]]
    models = {}
    for form, kind in KINDS.items():
        torch.manual_seed(0)
        models[form] = MODELS.build(copy.deepcopy(settings) | {'type': kind}).to(device)
    return models


def make_batch(size: tuple[int, int], batch: int, device: torch.device) -> tuple[Tensor, list]:
    """Return images (N, 3, H, W) and their samples with ten objects each.

    Every second picture fills three quarters of the width; the rest is padding.
    """
    draw = torch.Generator().manual_seed(0)
    image = torch.randn(batch, 3, *size, generator=draw).to(device)
    samples = []
    for number in range(batch):
        height, width = size[0], size[1] * (4 - number % 2) // 4
        corners = torch.rand(10, 2, 2, generator=draw).sort(1).values
        boxes = (
            (corners * torch.tensor([width, height])).flatten(1).to(device)
        )  # (10, 4), x1 y1 x2 y2
        objects = InstanceData(bboxes=boxes, labels=torch.arange(10, device=device))
        shapes = {'img_shape': (height, width), 'batch_input_shape': size}
        samples.append(DetDataSample(metainfo=shapes, gt_instances=objects))
    return image, samples


def transformer_step(model: nn.Module, grid: tuple[int, int], batch: int, mode: str) -> Callable:
    """Return what runs encoder and decoder on a map (batch, 256, h, w), back in training."""
    device = next(model.parameters()).device
    feature = torch.randn(batch, 256, *grid, generator=torch.Generator().manual_seed(0)).to(device)
    shape = tuple(32 * side for side in grid)
    sample = DetDataSample(metainfo={'img_shape': shape, 'batch_input_shape': shape})
    train = mode == 'train'

    def step() -> Tensor:
        with torch.set_grad_enabled(train):
            hidden = model.forward_transformer((feature,), [sample] * batch)['hidden_states']
        if train:
            model.zero_grad()
            hidden.square().mean().backward()
        return hidden

    model.train(train)
    return step


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every case and form."""
    models = build_pair(options.device)
    for tokens, batch, mode in product(options.tokens, options.batch, ('eval', 'train')):
        steps = {
            form: transformer_step(model, GRIDS[tokens], batch, mode)
            for form, model in models.items()
        }
        for row in compare(steps, options.device, options.repeats, options.warm_up):
            yield {'tokens': tokens, 'batch': batch, 'mode': mode} | row


def _add_cases(add) -> None:
    add('--tokens', type=int, nargs='+', choices=GRIDS, default=list(GRIDS))
    add('--batch', type=count, nargs='+', default=[1, 2])


if __name__ == '__main__':
    start(__doc__, rows, _add_cases)
