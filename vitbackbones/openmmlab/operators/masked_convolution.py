"""Convolution at some places of a map, as of guided anchoring (Wang et al., CVPR 2019).

Between the two operators, mmcv multiplies what each place sees by the weights. There is one image.
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
    """Fill ``col``, (C * kernel_h * kernel_w, M), with what the kernel sees at M places.

    Args:
        im: (1, C, H, W).
        mask_h_idx: (M,), rows of the places in the output of the convolution.
        mask_w_idx: (M,), columns.
    """
    padded = pad(im[0], [pad_w, pad_w, pad_h, pad_h])
    seen = col.view(len(padded), kernel_h, kernel_w, -1)
    for row in range(kernel_h):
        for column in range(kernel_w):
            seen[:, row, column] = padded[:, mask_h_idx + row, mask_w_idx + column]


def masked_col2im_forward(
    col: Tensor, mask_h_idx: Tensor, mask_w_idx: Tensor, im: Tensor, **sizes: int
) -> None:
    """Write ``col``, (channels, M), to M places of ``im``, (1, channels, height, width)."""
    im[0][:, mask_h_idx, mask_w_idx] = col
