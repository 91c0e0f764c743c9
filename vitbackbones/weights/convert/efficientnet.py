"""EfficientNets in the keys of EfficientNet-PyTorch (lukemelas), which timm's networks fill from.

There the blocks are numbered from the first to the last; in timm by stage, and then within it. All
blocks of a stage have the same width, and no two stages in succession have.
"""

from itertools import groupby

from torch import Tensor

OUTSIDE = {'_bn0': 'bn1', '_bn1': 'bn2', '_fc': 'classifier'}  # of the blocks
# The parts of a block that first expands its channels, and of one that does not.
EXPANDED = {'_expand_conv': 'conv_pw', '_bn0': 'bn1', '_bn1': 'bn2', '_bn2': 'bn3'}
EXPANDED |= {'_project_conv': 'conv_pwl'}
PLAIN = {'_bn1': 'bn1', '_project_conv': 'conv_pw', '_bn2': 'bn2'}
BOTH = {'_depthwise_conv': 'conv_dw'}
BOTH |= {'_se_reduce': 'se.conv_reduce', '_se_expand': 'se.conv_expand'}


def convert_efficientnet(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Rename the keys to those of timm's EfficientNets."""
    places = _places(state)
    out = {}
    for key, value in state.items():
        part, _, rest = key.partition('.')
        if part == '_blocks':
            number, inner, kind = rest.split('.')
            expands = f'_blocks.{number}._expand_conv.weight' in state
            names = (EXPANDED if expands else PLAIN) | BOTH
            key = f'blocks.{places[int(number)]}.{names.get(inner, inner)}.{kind}'
        else:
            key = f'{OUTSIDE.get(part, part.removeprefix("_"))}.{rest}'
        out[key] = value
    return out


def _places(state: dict[str, Tensor]) -> dict[int, str]:
    """Return the stage of each block, and its place there, such as ``'2.0'``."""
    ends = {key: x for key, x in state.items() if key.endswith('._project_conv.weight')}
    widths = {int(key.split('.')[1]): len(x) for key, x in ends.items()}
    places = {}
    for stage, (_, blocks) in enumerate(groupby(sorted(widths), widths.get)):
        places |= {number: f'{stage}.{place}' for place, number in enumerate(blocks)}
    return places
