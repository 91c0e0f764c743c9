"""A convolution at some places of a single picture: what comes before and after the product.

mmcv's ``MaskedConv2d`` multiplies the columns with the weight; the result is 0 at other places.
"""

from torch import Tensor
from torch.nn.functional import pad


def masked_im2col_forward(
    im: Tensor,
    mask_h_idx: Tensor,
    mask_w_idx: Tensor,
    col: Tensor,
    kernel_h: int,
    kernel_w: int,
    pad_h: int,
    pad_w: int,
) -> None:
    """Fill ``col``, (C h w, P), with the pixels of ``im``, (1, C, H, W), under a kernel.

    Args:
        mask_h_idx: (P,), the places along the height.
        mask_w_idx: (P,), along the width.
    """
    padded = pad(im[0], (pad_w, pad_w, pad_h, pad_h))
    windows = padded.unfold(1, kernel_h, 1).unfold(2, kernel_w, 1)  # (C, H', W', h, w)
    found = windows[:, mask_h_idx, mask_w_idx]  # (C, P, h, w)
    col.copy_(found.permute(0, 2, 3, 1).flatten(0, 2))


def masked_col2im_forward(
    col: Tensor,
    mask_h_idx: Tensor,
    mask_w_idx: Tensor,
    im: Tensor,
    height: int,
    width: int,
    channels: int,
) -> None:
    """Put ``col``, (C', P), at P places of ``im``, (1, C', H', W')."""
    im[0][:, mask_h_idx, mask_w_idx] = col
