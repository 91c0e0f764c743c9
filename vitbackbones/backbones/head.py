"""The linear heads of classifiers, in the keys of mmpretrain."""

from torch import Tensor, nn

from .shared.starting import trunc_normal_linears

# what a head reads, in timm's words
GLOBAL_POOL = {'cls_token': 'token', 'cls_dist_tokens': 'token', 'pooled': 'avg', 'featmap': ''}


class LinearHead(nn.Module):
    """A linear classifier in the keys of mmpretrain's ``LinearClsHead``.

    Args:
        in_channels, num_classes: its widths.
        narrow: start from a normal distribution of 0.02 without biases, not from torch's.
    """

    def __init__(self, in_channels: int, num_classes: int, narrow: bool) -> None:
        super().__init__()
        self.fc = nn.Linear(in_channels, num_classes)
        if narrow:
            trunc_normal_linears(self)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, in_channels) to (N, num_classes)."""
        return self.fc(x)


class TwoTokenHead(LinearHead):
    """DeiT's two linear classifiers, of the class token and of the distillation token.

    Arguments as :class:`LinearHead`.
    """

    def __init__(self, in_channels: int, num_classes: int, narrow: bool) -> None:
        super().__init__(in_channels, num_classes, narrow)
        self.fc_dist = nn.Linear(in_channels, num_classes)
        if narrow:
            trunc_normal_linears(self.fc_dist)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, 2, in_channels) to the mean of the logits (N, num_classes), in training too."""
        return (self.fc(x[:, 0]) + self.fc_dist(x[:, 1])) / 2
