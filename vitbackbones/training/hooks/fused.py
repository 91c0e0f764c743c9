"""Testing with the fused form of a model, for ``test --fused``."""

import torch
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper

from ...openmmlab.fusing import fuse_model


class FusedHook(Hook):
    """Puts the fused form of the model into its place before it is tested.

    Args:
        bfloat16: compute the backbone in bfloat16.
        compile: make one program of the backbone.
    """

    priority = 'LOWEST'  # after the hooks that load weights and exchange them for averages

    def __init__(self, bfloat16: bool = False, compile: bool = False) -> None:
        self.dtype = torch.bfloat16 if bfloat16 else None
        self.compile = compile

    def before_test_epoch(self, runner) -> None:
        model = runner.model.module if is_model_wrapper(runner.model) else runner.model
        runner.model = fuse_model(model, self.dtype, self.compile)
