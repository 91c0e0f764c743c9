"""Memory of a process with the whole model (DDP) and with a part of it (``train --fsdp``).

OMP_NUM_THREADS=1 torchrun --nproc_per_node=2 -m benchmarks.sharding {ddp|fsdp} [MODEL]

On CPUs; prints what the first process holds after each of three steps, and the loss.
"""

import ctypes
import sys
from pathlib import Path

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from vitbackbones import create_model
from vitbackbones.training.sharding import shard


def resident() -> int:
    """Return the MiB that this process holds."""
    ctypes.CDLL('libc.so.6').malloc_trim(0)  # gives back what was freed
    lines = Path('/proc/self/status').read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith('VmRSS')) // 1024


def main(kind: str, name: str = 'deit_b') -> None:
    """Take three steps of AdamW on an image of random numbers in each process."""
    distributed.init_process_group('gloo')
    torch.manual_seed(0)
    model = create_model(name, num_classes=1000)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    if kind == 'fsdp':
        shard(model, optimizer, [])
    else:
        model = DistributedDataParallel(model)
    torch.manual_seed(distributed.get_rank())
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.rand(1, 3, 224, 224)).square().mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        mean = loss.detach().clone()
        distributed.all_reduce(mean)
        if distributed.get_rank() == 0:
            print(f'{kind}: loss {mean.item() / 2:.9f}, {resident()} MiB', flush=True)
    distributed.destroy_process_group()


if __name__ == '__main__':
    main(*sys.argv[1:])
