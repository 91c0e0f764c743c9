"""A training with Lightning that may be killed at any moment and goes on to the bit.

python -m examples.exact.lightning_run FOLDER [WORKERS]
torchrun --nproc_per_node=2 -m examples.exact.lightning_run FOLDER [WORKERS]
"""

import os
import sys
from pathlib import Path

import torch
from pytorch_lightning import Callback, LightningModule, Trainer
from pytorch_lightning.callbacks import Checkpoint

from vitbackbones.exact import ExactRun

from .task import BATCH, STEPS, Network, NoisyNumbers


class Exact(Callback):
    """Seeds every step and keeps the place of the run in Lightning's checkpoints."""

    def __init__(self, run: ExactRun) -> None:
        self.run = run

    def on_train_batch_start(self, *_) -> None:
        self.run.begin_step()

    def state_dict(self) -> dict:
        return self.run.state_dict()

    def load_state_dict(self, state: dict) -> None:
        self.run.load_state_dict(state)


class Save(Checkpoint):  # which Lightning calls after all others, such as averages
    """Keeps the newest checkpoint."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def on_train_batch_end(self, trainer: Trainer, *_) -> None:
        part = self.file.with_suffix('.part')
        trainer.save_checkpoint(part, weights_only=False)
        if trainer.is_global_zero:
            part.replace(self.file)  # complete or absent


class Model(LightningModule):
    """The network and its optimizer."""

    def __init__(self) -> None:
        super().__init__()
        self.network = Network()

    def training_step(self, batch):
        return self.network(batch)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.01)


def main(folder: Path, workers: int = 0) -> None:
    """Train, from the checkpoint in ``folder`` if there is one."""
    run = ExactRun(NoisyNumbers(), BATCH, seed=0)
    processes = int(os.environ.get('WORLD_SIZE', 1))
    trainer = Trainer(
        accelerator='cpu',
        devices=processes,
        # which keeps DDP's buckets, see plain_torch
        strategy='ddp_find_unused_parameters_true' if processes > 1 else 'auto',
        max_steps=STEPS,  # with max_epochs Lightning may resume into an epoch too many
        use_distributed_sampler=False,  # the loader gives each process its own samples
        callbacks=[Exact(run), Save(folder / 'last.ckpt')],
        **dict.fromkeys(('logger', 'enable_progress_bar'), False),
    )
    file = folder / 'last.ckpt'
    start = str(file) if file.exists() else None
    trainer.fit(Model(), run.loader(num_workers=workers), ckpt_path=start)


if __name__ == '__main__':
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
