"""mmengine's FSDP strategy, able to resume, and to save on CPUs."""

import torch
from mmengine._strategy import FSDPStrategy as MMEngineFSDPStrategy
from torch.distributed.fsdp import FullyShardedDataParallel

# FSDP's gathered tensors share the memory that it frees next, unless something copies them:
# moving them to the CPU does, from a GPU. On a CPU nothing would, and saving crashes the process.
FULL_STATE_ON_CPU = {
    'state_dict_type': 'FULL_STATE_DICT',
    'state_dict_config': {'type': 'FullStateDictConfig', 'rank0_only': True},
    'optim_state_dict_config': {'type': 'FullOptimStateDictConfig', 'rank0_only': True},
}


class FSDPStrategy(MMEngineFSDPStrategy):
    """mmengine's strategy, which passes arguments to torch in an outdated order when it resumes.

    Checkpoints hold the whole model and optimizer.
    """

    def __init__(self, **options) -> None:
        gathered = 'full' if torch.cuda.is_available() else FULL_STATE_ON_CPU
        super().__init__(state_dict_cfg=gathered, **options)

    def load_optim_state_dict(self, state_dict: dict) -> None:
        """Give each process its part of the optimizer's state."""
        part = FullyShardedDataParallel.optim_state_dict_to_load(
            self.model, self.optim_wrapper.optimizer, state_dict
        )
        self.optim_wrapper.load_state_dict(part)
