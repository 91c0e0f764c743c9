"""A loop with accelerate that may be killed at any moment and goes on to the bit.

accelerate launch --cpu -m examples.exact.accelerate_run FOLDER [WORKERS]
"""

import shutil
import sys
from pathlib import Path

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs

from vitbackbones.exact import ExactRun

from .task import BATCH, STEPS, Network, NoisyNumbers


def main(folder: Path, workers: int = 0) -> None:
    """Train, from the newest checkpoint in ``folder`` if there is one."""
    model = Network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    keeps_buckets = DistributedDataParallelKwargs(find_unused_parameters=True)  # see plain_torch
    accelerator = Accelerator(cpu=True, kwargs_handlers=[keeps_buckets])
    # the loader is not prepared: it gives each process its own samples
    model, optimizer = accelerator.prepare(model, optimizer)
    run = ExactRun(NoisyNumbers(), BATCH, seed=0)
    accelerator.register_for_checkpointing(run)
    if saved := sorted(folder.glob('step_*')):
        accelerator.load_state(saved[-1])
    for batch in run.steps(run.loader(num_workers=workers), STEPS):
        optimizer.zero_grad()
        accelerator.backward(model(batch.to(accelerator.device)))
        optimizer.step()
        accelerator.save_state(folder / 'part')
        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            older = list(folder.glob('step_*'))
            (folder / 'part').rename(folder / f'step_{run.step:06}')  # complete or absent
            for each in older:
                shutil.rmtree(each)
        accelerator.wait_for_everyone()  # else the next 'part' is renamed by this one


if __name__ == '__main__':
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
