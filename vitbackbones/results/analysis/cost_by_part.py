"""Multiply-adds of one image by part of the backbone, and the parameters of each part.

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
import math
from collections import Counter, defaultdict

import torch
from matplotlib.figure import Figure
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from ...layers import AugmentedShortcut
from .plots import COLORS, label, new_figure, unique
from .reading import Subject, find_backbone, find_blocks

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


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each part."""
    size = options.size or (224, 224)
    parts = count_parts(subject.model, size)
    text = f'{size[0]}x{size[1]}'
    return [{'part': part, 'size': text} | parts[part] for part in sorted(parts)]


def draw(rows: list[dict]) -> Figure:
    """Draw a stacked bar for each model, of operations and of parameters."""
    models, parts = unique(rows, 'model'), unique(rows, 'part')
    figure, axes = new_figure(1, 2, (5.2, 1.7 + 0.45 * len(models)))
    columns = {
        'macs': (f'Cost of one image of {rows[0]["size"]}', 'multiply-adds', 1e9, 'G'),
        'parameters': ('Size of the backbone', 'parameters', 1e6, 'M'),
    }
    for panel, (column, (title, axis, unit, letter)) in zip(axes[0], columns.items(), strict=True):
        left = dict.fromkeys(models, 0.0)
        for number, part in enumerate(parts):
            own = {row['model']: row[column] / unit for row in rows if row['part'] == part}
            widths = [own.get(model, 0.0) for model in models]
            look = {'color': COLORS[number % len(COLORS)], 'hatch': '//' * (number // len(COLORS))}
            look |= {'edgecolor': 'white', 'linewidth': 0.4}
            starts = list(left.values())
            panel.barh(range(len(models)), widths, left=starts, label=part, **look)
            left = {model: left[model] + own.get(model, 0.0) for model in models}
        panel.set_yticks(range(len(models)), models)
        panel.invert_yaxis()
        label(panel, title, f'{axis} ({letter})')
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc='outside right upper', fontsize=8)
    axes[0, 1].set_yticklabels([])
    return figure
