"""All auxiliary heads of a SETR as one module, so that a config sets their arguments once."""

from mmengine.model import BaseModule
from mmseg.utils import SampleList, add_prefix
from torch import Tensor, nn

from ...layers import require_choice
from .setr_mla import SETRMLAAuxHead
from .setr_up import SETRNaiveHead, SETRPUPAuxHead

KINDS = {'naive': SETRNaiveHead, 'pup': SETRPUPAuxHead, 'mla': SETRMLAAuxHead}


class SETRAuxHead(BaseModule):
    """One head of the same kind on each of several maps, for training only.

    Args:
        kind: ``'naive'``, ``'pup'`` or ``'mla'``.
        in_index: the maps that are read, counted in what the backbone or the neck returns.
        options: arguments of each head (``setr_head.SETRHead``).

    Raises:
        OptionError: unknown ``kind``.
    """

    def __init__(self, kind: str, in_index: list[int], **options) -> None:
        super().__init__()
        require_choice('kind', kind, KINDS)
        self.heads = nn.ModuleList(KINDS[kind](in_index=i, **options) for i in in_index)

    def loss(
        self, inputs: tuple[Tensor, ...], batch_data_samples: SampleList, train_cfg: dict
    ) -> dict[str, Tensor]:
        """Return losses and accuracies of all heads, by ``<number of the head>.<name>``."""
        losses = {}
        for i, head in enumerate(self.heads):
            losses |= add_prefix(head.loss(inputs, batch_data_samples, train_cfg), str(i))
        return losses
