"""Parameters and operations of a model, in the conventions that the papers count in.

Nothing is computed: the model is built and run with fake tensors, which have shapes alone. The
papers call all of these "FLOPs":

* ``macs``: multiply-adds of convolutions, linear layers and the two products of attention;
* twice that (MSF);
* fvcore's count (SReT): multiply-adds, and 5 per element of a LayerNorm, 2 of a BatchNorm.

A circulant path counts as Aug-ViT's tables do, through the FFT.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from vitbackbones.layers import AugmentedShortcut


@dataclass(frozen=True)
class Sizes:
    """What a model holds.

    Attributes:
        parameters: all of them, fixed tables included.
        path_biases: those that are biases of augmented shortcuts, which Aug-ViT does not count.
        weights: those that are weights of linear and convolution layers, which alone MSF counts.
    """

    parameters: int
    path_biases: int
    weights: int


@dataclass(frozen=True)
class Complexity(Sizes):
    """What a model holds and what one image costs.

    Attributes:
        macs: multiply-adds.
        norms: what fvcore adds to them for LayerNorms and BatchNorms.
    """

    macs: float
    norms: int


def measure(build: Callable[[], nn.Module], size: tuple[int, int] = (224, 224)) -> Complexity:
    """Measure the model that ``build`` returns on an image of ``size`` (height, width)."""
    extra = Counter()
    # the unfused kernel, because the counter knows matrix products and not every fused kernel
    with FakeTensorMode(), torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
        model = build().eval()
        for module in model.modules():
            listen(module, extra)
            if isinstance(module, nn.LayerNorm | nn.BatchNorm2d):
                per_element = 5 if isinstance(module, nn.LayerNorm) else 2
                module.register_forward_hook(
                    lambda _, inputs, output, n=per_element: extra.update(norms=n * output.numel())
                )
        with FlopCounterMode(display=False) as counter:
            model(torch.empty(1, 3, *size))
    macs = counter.get_total_flops() / 2 + extra['paths']
    return Complexity(**vars(_sizes(model)), macs=macs, norms=extra['norms'])


def count(build: Callable[[], nn.Module]) -> Sizes:
    """Count the parameters of the model that ``build`` returns, built without memory."""
    with torch.device('meta'):
        return _sizes(build())


def listen(module: nn.Module, extra: Counter) -> None:
    """Count circulant paths, whose products are in another form, as Aug-ViT's tables have them.

    ``extra['paths']`` gets the multiply-adds through the FFT: 2 d log2(d / b) + 2 b d per token and
    path (its printed formula lacks the first 2). The products of the form that runs do not count.
    """
    if not isinstance(module, AugmentedShortcut) or module.projection != 'circulant':
        return
    paths, blocks, _, side = module.weight.shape
    dims = blocks * side
    per_token = paths * (2 * dims * math.log2(side) + 2 * blocks * dims)

    def augment(source: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        extra['paths'] += source.numel() // dims * per_token
        return total

    module.augment = augment


def _sizes(model: nn.Module) -> Sizes:
    modules = list(model.modules())
    return Sizes(
        parameters=sum(p.numel() for p in model.parameters()),
        path_biases=sum(
            m.bias.numel()
            for m in modules
            if isinstance(m, AugmentedShortcut) and m.bias is not None
        ),
        weights=sum(m.weight.numel() for m in modules if isinstance(m, nn.Linear | nn.Conv2d)),
    )
