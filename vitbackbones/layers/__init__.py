"""The parts that the networks are made of; they know torch only.

What two hosts or a config can name lives here; what one host needs stays in the host
(``vitbackbones.backbones``). ``parts`` says how a config names a part, what a part must do and
what it may declare.
"""

from .attention import (
    DotProductAttention,
    SlicedAttention,
    Slicing,
    fixed_permutation,
    number_slices,
)
from .augmented_shortcut import AugmentedShortcut
from .block import (
    Block,
    CoefficientShortcut,
    IdentityShortcut,
    Mlp,
    NoShortcut,
    build_shortcut,
    keep_first_token,
)
from .circulant import circulant_dense, circulant_fft, circulant_halves, circulant_matrix
from .drop import Dropout, DropPath, drop_path_rates, make_drop_path, make_dropout, require_rate
from .fuse import fuse_for_inference
from .graphs import is_traced
from .mean_shift import MeanShiftAttention, mean_shift
from .parts import (
    ATTENTIONS,
    SHORTCUTS,
    STEMS,
    build_part,
    part_name,
    register,
    require_choice,
    require_size,
)
from .projections import GroupedLinear
from .recursion import ONCE, SHALLOW, Recursion, Recursive, RecursiveBlock, Sweeps, block_row
from .tokens import (
    UNKNOWN,
    MapNorm,
    Origin,
    PatchEmbed,
    average_map,
    cut_map,
    fit_position,
    is_of_size,
    max_map,
    pad_map,
    pad_to_multiple,
    require_channels,
    resize_map,
    resize_position,
    sincos_position,
    sinusoid_position,
    stored_grid,
    to_map,
)
from .tokens_to_token import PerformerAttention, TokensToToken
from .windows import Windows

__all__ = ['ATTENTIONS', 'ONCE', 'SHALLOW', 'SHORTCUTS', 'STEMS', 'AugmentedShortcut', 'Block']
__all__ += ['CoefficientShortcut', 'DotProductAttention', 'DropPath', 'Dropout', 'GroupedLinear']
__all__ += ['IdentityShortcut', 'MapNorm', 'MeanShiftAttention', 'Mlp', 'NoShortcut', 'PatchEmbed']
__all__ += ['PerformerAttention', 'Recursion', 'Recursive', 'RecursiveBlock', 'SlicedAttention']
__all__ += ['Slicing', 'Sweeps', 'TokensToToken', 'Windows', 'average_map', 'block_row']
__all__ += ['build_part', 'build_shortcut', 'circulant_dense', 'circulant_fft', 'circulant_halves']
__all__ += ['circulant_matrix', 'cut_map', 'drop_path_rates', 'fit_position', 'fixed_permutation']
__all__ += ['fuse_for_inference', 'is_of_size', 'is_traced', 'keep_first_token', 'make_drop_path']
__all__ += ['make_dropout', 'max_map', 'mean_shift', 'number_slices', 'pad_map', 'pad_to_multiple']
__all__ += ['part_name', 'register', 'require_channels', 'require_choice', 'require_rate']
__all__ += ['require_size', 'resize_map', 'resize_position', 'sincos_position', 'sinusoid_position']
__all__ += ['UNKNOWN', 'Origin', 'stored_grid', 'to_map']
