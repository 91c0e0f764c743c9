"""What the hosts of several resolutions share: outputs, and the depth of every parameter.

Such a "pyramid" is a row of stages, each of half the resolution of the one before.
"""

from collections.abc import Sequence

from .base import Backbone, choose_indices


class PyramidBackbone(Backbone):
    """Base of the hosts of several resolutions.

    A subclass sets ``stages`` (or what ``stages_name`` says), modules with ``blocks``, and
    ``norm``, and gives ``parts_by_stage``, ``positions`` and ``forward``.

    Args:
        embed_dims: width of each stage.
        stride: of the first stage.
        out_indices: stages whose map is returned. The vectors of ``out_type='cls_token'`` and
            ``'pooled'`` are the last stage's.
        options: arguments of :class:`~vitbackbones.backbones.base.Backbone`.
    """

    stages_name = 'stages'

    def __init__(
        self,
        embed_dims: Sequence[int],
        stride: int,
        out_indices: int | str | Sequence[int],
        **options,
    ) -> None:
        super().__init__(**options)
        count = len(embed_dims)
        chosen = choose_indices(out_indices, count)
        self.out_indices = chosen if self.out_type == 'featmap' else (count - 1,)
        self.out_channels = tuple(embed_dims[i] for i in self.out_indices)
        self.out_strides = tuple(stride * 2**i for i in self.out_indices)

    def layer_depth(self, name: str) -> tuple[int, int]:
        counts = [len(stage.blocks) for stage in getattr(self, self.stages_name)]
        depths = sum(counts) + 2
        if not name.startswith(f'{self.stages_name}.'):
            return (depths - 1 if name.startswith('norm.') else 0), depths
        _, stage, part, *rest = name.split('.')
        before = sum(counts[: int(stage)])
        return (before + int(rest[0]) + 1 if part == 'blocks' else before), depths
