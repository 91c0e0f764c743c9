"""T2T-ViT, and Aug-T2T.

Yuan et al., "Tokens-to-Token ViT", 2021: a ViT behind the tokens-to-token stem, with MLPs of ratio
3, no bias in the query, key and value projections, LayerNorm eps 1e-5 and fixed sinusoid positions
over the row of class token and patches. The table is part of the published checkpoints and is
loaded from them; for another input size it is resized as a grid, like learned positions, which is
how the published code transfers to larger images. A model built for another ``img_size`` from
scratch has the sinusoid of that size.

Aug-T2T (Tang et al., "Augmented Shortcuts for Vision Transformers", 2021, Table 2) has augmented
shortcuts in the blocks, not in the stem, whose shortcut is already another. Its code was not
published; parameter counts determine two circulant paths around both branches.
"""

from .shared.augmented import UNSCALED, KeepsScale
from .vit import ViT


class T2T(ViT):
    """T2T-ViT with interchangeable attention and shortcut.

    Args:
        tokens: attention of the stem, ``'performer'`` (T2T-ViT) or ``'transformer'``
            (T2T-ViT_t).
        token_drop_rate: dropout in the stem; as published by default, 0.1 in the Performer and 0
            in the transformer, whatever ``drop_rate``.
        options: arguments of :class:`~vitbackbones.backbones.vit.ViT`.
    """

    archs = {
        '14': {'embed_dims': 384, 'depth': 14, 'num_heads': 6},
        '19': {'embed_dims': 448, 'depth': 19, 'num_heads': 7},
        '24': {'embed_dims': 512, 'depth': 24, 'num_heads': 8},
    }
    classifiers = {
        **{f't2t_{arch}': {'arch': arch} for arch in archs},
        **{f't2t_t_{arch}': {'arch': arch, 'tokens': 'transformer'} for arch in archs},
    }

    preprocessing = {'crop_pct': 0.9}

    def __init__(
        self,
        arch: str | dict = '14',
        tokens: str = 'performer',
        token_drop_rate: float | None = None,
        mlp_ratio: float = 3.0,
        qkv_bias: bool = False,
        norm_eps: float = 1e-5,
        **options,
    ) -> None:
        super().__init__(
            arch,
            stem={'type': 'TokensToToken', 'tokens': tokens, 'drop_rate': token_drop_rate},
            position='sinusoid',
            mlp_ratio=mlp_ratio,
            qkv_bias=qkv_bias,
            norm_eps=norm_eps,
            **options,
        )


class AugT2T(KeepsScale, T2T):
    """T2T-ViT whose shortcuts are augmented, by default by two circulant paths and unscaled.

    Arguments as :class:`T2T`. ``shared.augmented`` tells why, and which factor weights bring.
    """

    classifiers = {f'aug_t2t_{arch}': {'arch': arch} for arch in T2T.archs}
    default_parts = {**T2T.default_parts, 'shortcut': UNSCALED}
