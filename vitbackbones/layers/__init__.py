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
    MapNorm,
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
    to_map,
)
from .tokens_to_token import PerformerAttention, TokensToToken
from .windows import Windows
