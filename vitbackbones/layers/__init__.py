"""The parts that the networks are made of; they know torch only.

A part of one's own is entered by ``ATTENTIONS['Mine'] = Mine`` (or ``SHORTCUTS``) or given as
the class itself: ``attention=dict(type=Mine)``.
"""

from .attention import DotProductAttention
from .augmented_shortcut import AugmentedShortcut
from .block import Block
from .circulant import circulant_dense, circulant_fft, circulant_matrix
from .drop_path import DropPath, drop_path_rates
from .init import trunc_normal_linears
from .mlp import Mlp
from .parts import ATTENTIONS, SHORTCUTS, STEMS, build_part, register
from .patch_embed import PatchEmbed, pad_to_multiple, to_map
from .position import fit_position, resize_position, sinusoid_position
from .shortcut import IdentityShortcut
from .spatial_reduction import SpatialReduction
from .squeeze_excite import ExcitedMlp
from .token_attention import PerformerAttention, TokenAttention
from .tokens_to_token import TokensToToken

__all__ = [
    'ATTENTIONS',
    'SHORTCUTS',
    'STEMS',
    'AugmentedShortcut',
    'Block',
    'DotProductAttention',
    'DropPath',
    'ExcitedMlp',
    'IdentityShortcut',
    'Mlp',
    'PatchEmbed',
    'PerformerAttention',
    'SpatialReduction',
    'TokenAttention',
    'TokensToToken',
    'build_part',
    'circulant_dense',
    'circulant_fft',
    'circulant_matrix',
    'drop_path_rates',
    'fit_position',
    'pad_to_multiple',
    'register',
    'resize_position',
    'sinusoid_position',
    'to_map',
    'trunc_normal_linears',
]
