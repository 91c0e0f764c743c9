"""How linear layers start in the code of most papers."""

from torch import nn


def trunc_normal_linears(module: nn.Module, std: float = 0.02) -> None:
    """Fill every linear layer below ``module``: truncated normal weights, zero biases."""
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            nn.init.trunc_normal_(layer.weight, std=std)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
