"""Which blocks the SETR heads read, by the head's name, for a backbone of any depth.

Zheng et al., "Rethinking Semantic Segmentation from a Sequence-to-Sequence Perspective with
Transformers", CVPR 2021, and its released configs for 24 and for 12 blocks. Other depths take the
same fractions as 12 blocks; a pyramid of four stages gives all of them.
"""

from ...errors import OptionError

PUBLISHED = {
    'setr_naive': {12: (2, 5, 8, 11), 24: (9, 14, 19, 23)},
    'setr_pup': {12: (4, 7, 9, 11), 24: (9, 14, 19, 23)},
    'setr_mla': {12: (2, 5, 8, 11), 24: (5, 11, 17, 23)},
}


def published_indices(name: str, depth: int) -> tuple[int, ...]:
    """Return the indices of the blocks, the last one always among them.

    Args:
        name: a key of ``PUBLISHED``.
        depth: number of blocks; fewer than four are all taken.

    Raises:
        OptionError: the name is unknown.
    """
    if name not in PUBLISHED:
        raise OptionError(f'unknown out_indices={name!r}; known names: {", ".join(PUBLISHED)}')
    if depth < 4:
        return tuple(range(depth))
    by_depth = PUBLISHED[name]
    return by_depth.get(depth) or tuple((i + 1) * depth // 12 - 1 for i in by_depth[12])
