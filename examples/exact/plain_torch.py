"""A loop in plain torch that may be killed at any moment and goes on to the bit.

python -m examples.exact.plain_torch FOLDER [WORKERS]
torchrun --nproc_per_node=2 -m examples.exact.plain_torch FOLDER [WORKERS]
"""

import os
import sys
from pathlib import Path

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from vitbackbones.exact import ExactRun

from .task import BATCH, STEPS, Network, NoisyNumbers


def main(folder: Path, workers: int = 0) -> None:
    """Train, from the checkpoint in ``folder`` if there is one."""
    model = Network()
    if 'RANK' in os.environ:  # of torchrun
        distributed.init_process_group('gloo')
        # without it DDP rearranges its buckets after the first step, and after a resume sums of
        # three or more processes are rounded otherwise
        model = DistributedDataParallel(model, find_unused_parameters=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    run = ExactRun(NoisyNumbers(), BATCH, seed=0)
    parts, file = {'model': model, 'optimizer': optimizer, 'run': run}, folder / 'last.pt'
    if file.exists():
        for name, state in torch.load(file).items():
            parts[name].load_state_dict(state)
    for batch in run.steps(run.loader(num_workers=workers), STEPS):
        optimizer.zero_grad()
        model(batch).backward()
        optimizer.step()
        if int(os.environ.get('RANK', 0)) == 0:
            part = file.with_suffix('.part')
            torch.save({name: each.state_dict() for name, each in parts.items()}, part)
            part.replace(file)  # complete or absent


if __name__ == '__main__':
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
