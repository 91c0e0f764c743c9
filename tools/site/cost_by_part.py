"""Multiply-adds of one image by part of the backbone, and the parameters of each part.

python tools/site/cost_by_part.py tnt_s

Nothing is computed: a copy runs on shapes alone, and torch's counter sees its matrix products. Each
product counts for the innermost module that it happens in:

=====================  ==========================================================================
attention scores       q k^T and the average of the values (SReT, Eq. 11; TNT, Eq. 14)
attention projections  q, k, v, the probe and the output
key reduction          PVT's convolution of keys and values
MLP, token mixing      fc1 and fc2, over channels or (Mixer) tokens
NLL                    the projections between the passes of a recursive block
shortcuts              augmented paths as Aug-ViT's tables count them; coefficients have
                       parameters alone
pixels to patch        TNT's projection in the blocks
inner ...              the same parts among the pixels of a patch (TNT, Eq. 15-18)
outside of blocks      stem, patch embeddings, downsampling
other in blocks        norms (which have parameters alone), and parts of other names
=====================  ==========================================================================
"""

import copy
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from pathlib import Path

import torch
from complexity import listen
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

sys.path.append(str(Path(__file__).resolve().parents[2]))  # an installed package comes first
from examples.analyze.reading import find_backbone, find_blocks
from vitbackbones import create_model

SCORES, SHORTCUTS = 'attention scores', 'shortcuts'
REST, OUTSIDE = 'other in blocks', 'outside of blocks'
# the first of these names on the way to a module decides
PARTS = {
    'attn': 'attention projections',
    'reduction': 'key reduction',
    'mlp': 'MLP',
    'mlp_channels': 'MLP',
    'mlp_tokens': 'token mixing',
    'nlls': 'NLL',
    'to_patch': 'pixels to patch',
    **dict.fromkeys(('shortcut', 'shortcut_attn', 'shortcut_mlp'), SHORTCUTS),
    **dict.fromkeys(('shortcut_tokens', 'shortcut_channels'), SHORTCUTS),
}


class _Meter:
    """Counts each product for the innermost module that runs.

    torch's counter has names too, but under a module that calls another one's child, as slices
    call the attention beside them, its sums overlap.
    """

    def __init__(self, model: nn.Module, counter: FlopCounterMode) -> None:
        self.counter, self.running = counter, ['']
        self.before: Counter = Counter()
        self.products: dict[str, Counter] = defaultdict(Counter)  # operations by module
        for name, module in model.named_modules():
            module.register_forward_pre_hook(lambda *_, n=name: self._go_on([*self.running, n]))
            module.register_forward_hook(lambda *_: self._go_on(self.running[:-1]))

    def _go_on(self, running: list[str]) -> None:
        """Count what was computed until now, and note which modules run from here on."""
        now = Counter(self.counter.get_flop_counts().get('Global'))
        self.products[self.running[-1]] += now - self.before
        self.before, self.running = now, running


def count_parts(model: nn.Module, size: tuple[int, int]) -> dict[str, dict[str, float]]:
    """Return ``macs``, of an image of ``size`` (height, width), and ``parameters`` of each part.

    ``model`` is a backbone, or has one; it stays as it is.
    """
    model = copy.deepcopy(find_backbone(model)).eval()
    blocks = tuple(f'{block.name}.' for block in find_blocks(model))
    extra: Counter = Counter()
    for module in model.modules():
        listen(module, extra)
    shapes_alone = FakeTensorMode(allow_non_fake_inputs=True)
    # the unfused kernel, because the counter knows matrix products and not every fused kernel
    with shapes_alone, torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
        image = torch.empty(1, 3, *size, device=next(model.parameters()).device)
        with FlopCounterMode(display=False) as counter:
            meter = _Meter(model, counter)
            model(image)
    found: dict[str, dict[str, float]] = defaultdict(lambda: {'macs': 0.0, 'parameters': 0})
    modules = dict(model.named_modules())
    for name, products in meter.products.items():
        for product, count in products.items():
            is_score = 'bmm' in str(product) and not isinstance(modules[name], nn.Linear)
            found[part_of(name, blocks, is_score)]['macs'] += count / 2
    for name, parameter in model.named_parameters():
        found[part_of(name, blocks)]['parameters'] += parameter.numel()
    if extra['paths']:
        found[SHORTCUTS]['macs'] += extra['paths']
    return dict(found)


def part_of(name: str, blocks: tuple[str, ...], is_score: bool = False) -> str:
    """Return the part that a module or parameter of a backbone belongs to.

    Args:
        name: its path.
        blocks: the paths of all blocks, each with a dot behind it.
        is_score: whether a product is of two activations, not with a weight.
    """
    block = next((block for block in blocks if name.startswith(block)), None)
    if block is None:
        return OUTSIDE
    path = name.removeprefix(block).split('.')
    part = next((PARTS[step] for step in path if step in PARTS), REST)
    if is_score and part == PARTS['attn']:
        part = SCORES
    return f'inner {part}' if path[0] == 'inner' else part


if __name__ == '__main__':
    parser = ArgumentParser(description='Multiply-adds and parameters of a backbone by part.')
    parser.add_argument('name', metavar='NAME', help='of a model, as list_models() has it')
    parser.add_argument('--side', type=int, default=224, help='of the image (%(default)s pixels)')
    options = parser.parse_args()
    found = count_parts(create_model(options.name), (options.side, options.side))
    for part, own in sorted(found.items()):
        print(f'{part:<28}{own["macs"] / 1e6:12,.1f} M{own["parameters"]:14,}')
