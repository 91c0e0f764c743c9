"""The parts that the networks are made of; they know torch only.

A part of one's own is entered by ``ATTENTIONS['Mine'] = Mine`` (or ``SHORTCUTS``) or given as
the class itself: ``attention=dict(type=Mine)``.
"""

from .attention import DotProductAttention
from .augmented_shortcut import AugmentedShortcut
from .block import Block
from .circulant import circulant_dense, circulant_fft, circulant_halves, circulant_matrix
from .drop_path import DropPath, drop_path_rates, require_rate
from .dropout import Dropout
from .fuse import LAST_LINEAR, fuse_for_inference
from .grouped_linear import GroupedLinear
from .init import trunc_normal_linears
from .mean_shift import MeanShiftAttention, mean_shift
from .mlp import Mlp
from .parts import ATTENTIONS, SHORTCUTS, STEMS, build_part, register
from .patch_embed import PatchEmbed, average_map, pad_to_multiple, require_channels, to_map
from .position import fit_position, resize_map, resize_position, sincos_position, sinusoid_position
from .recursion import NonLinearProjection, RecursiveBlock
from .shortcut import CoefficientShortcut, IdentityShortcut, build_shortcut
from .sliced_attention import SlicedAttention, Slicing, fixed_permutation, number_slices
from .spatial_reduction import SpatialReduction
from .squeeze_excite import ExcitedMlp
from .token_attention import PerformerAttention, TokenAttention
from .tokens_to_token import TokensToToken
from .window import WindowBlock

__all__ = [
    'ATTENTIONS',
    'LAST_LINEAR',
    'SHORTCUTS',
    'STEMS',
    'AugmentedShortcut',
    'Block',
    'CoefficientShortcut',
    'DotProductAttention',
    'DropPath',
    'Dropout',
    'ExcitedMlp',
    'GroupedLinear',
    'IdentityShortcut',
    'MeanShiftAttention',
    'Mlp',
    'NonLinearProjection',
    'PatchEmbed',
    'PerformerAttention',
    'RecursiveBlock',
    'SlicedAttention',
    'Slicing',
    'SpatialReduction',
    'TokenAttention',
    'TokensToToken',
    'WindowBlock',
    'average_map',
    'build_part',
    'build_shortcut',
    'circulant_dense',
    'circulant_fft',
    'circulant_halves',
    'circulant_matrix',
    'drop_path_rates',
    'fit_position',
    'fixed_permutation',
    'fuse_for_inference',
    'mean_shift',
    'number_slices',
    'pad_to_multiple',
    'register',
    'require_channels',
    'require_rate',
    'resize_map',
    'resize_position',
    'sinusoid_position',
    'sincos_position',
    'to_map',
    'trunc_normal_linears',
]
