"""How many tokens at a time, where a tensor for all of them would be large.

On a CPU, so much memory comes from the system page by page in every call, which takes up to half of
the time of an MLP. Between its two layers a piece of the tokens stays in the cache.
"""

from torch import Tensor

# Bytes: tensors of more than _WIDE are made in pieces of _PIECE. With less, pieces cost more than
# they save.
_WIDE = 20 * 2**20
_PIECE = 4 * 2**20


def tokens_of_a_piece(x: Tensor, width: int) -> int | None:
    """Return how many tokens of ``x`` to map at a time, ``None`` for all at once.

    Args:
        x: (..., C) tokens.
        width: of what they are mapped to.
    """
    token = width * x.element_size()  # bytes
    if x.device.type != 'cpu' or x.shape[:-1].numel() * token <= _WIDE:
        return None
    return max(_PIECE // token, 1)
