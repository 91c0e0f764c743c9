"""All auxiliary heads of a SETR as one module, so that a config sets their arguments once."""

from mmengine.model import BaseModule
from mmseg.utils import SampleList, add_prefix
from torch import Tensor, nn

from ...layers import require_choice
from .setr_mla import SETRMLAAuxHead
from .setr_up import SETRNaiveHead, SETRPUPAuxHead

KINDS = {'naive': SETRNaiveHead, 'pup': SETRPUPAuxHead, 'mla': SETRMLAAuxHead}
BY_MAP = ('in_channels', 'stride')  # these may be lists


class SETRAuxHead(BaseModule):
    """One head of the same kind on each of several maps, for training only.

    Args:
        kind: ``'naive'``, ``'pup'`` or ``'mla'``.
        in_index: the maps that are read, counted in what the backbone or the neck returns.
        options: arguments of each head (``setr_head.SETRHead``); ``in_channels`` and ``stride`` may
            be lists of one number for each map.

    Raises:
        OptionError: unknown ``kind``.
    """

    def __init__(self, kind: str, in_index: list[int], **options) -> None:
        super().__init__()
        require_choice('kind', kind, KINDS)
        lists = {key: options.pop(key) for key in BY_MAP if isinstance(options.get(key), list)}
        self.heads = nn.ModuleList()
        for number, index in enumerate(in_index):
            own = {key: values[number] for key, values in lists.items()}
            self.heads.append(KINDS[kind](in_index=index, **own, **options))

    def loss(
        self, inputs: tuple[Tensor, ...], batch_data_samples: SampleList, train_cfg: dict
    ) -> dict[str, Tensor]:
        """Return losses and accuracies of all heads, by ``<number of the head>.<name>``."""
        losses = {}
        for i, head in enumerate(self.heads):
            losses |= add_prefix(head.loss(inputs, batch_data_samples, train_cfg), str(i))
        return losses
