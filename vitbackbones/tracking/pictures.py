"""Pictures of predictions beside the ground truth, at each evaluation of a run.

They are the same few images each time, spread over the validation set, in
``WORK_DIR/pictures/epoch_3/`` and in the run's trackers. The model is the one that was evaluated,
with averaged weights where these are evaluated.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from mmengine.dist import master_only
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper
from mmengine.runner import EpochBasedTrainLoop, Runner
from PIL import Image
from torch.nn.parallel import DistributedDataParallel

from ..files import write_file
from ..messages import in_one_line
from ..reporting.parts import photograph
from ..tasks import find_task
from .backend import Backend

FOLDER = 'pictures'
KINDS = ('epoch_*', 'iter_*')  # folders in it, one for each evaluation


class PicturesHook(Hook):
    """Draws predictions, on the first process only; what cannot be drawn is one warning.

    Args:
        count: of the images.
        score_threshold: detections of a lower score are left out.
    """

    priority = 'ABOVE_NORMAL'  # before an average of the weights is taken out again

    def __init__(self, count: int = 4, score_threshold: float = 0.3) -> None:
        self.count, self.score_threshold = count, score_threshold
        self.is_wanted = False  # outside of a training nothing is drawn

    @master_only
    def before_train(self, runner: Runner) -> None:
        """Remove the pictures of an earlier run where another begins."""
        self.is_wanted = True
        for kind in KINDS if not runner.iter else ():
            for folder in Path(runner.work_dir, FOLDER).glob(kind):
                shutil.rmtree(folder, ignore_errors=True)

    @master_only
    def after_val_epoch(self, runner: Runner, metrics: dict | None = None) -> None:
        if not self.is_wanted:
            return
        by_epoch = isinstance(runner.train_loop, EpochBasedTrainLoop)
        place = f'epoch_{runner.epoch}' if by_epoch else f'iter_{runner.iter}'
        folder = Path(runner.work_dir, FOLDER, place)
        try:
            for name, picture in self._drawn(runner):
                write_file(folder / f'{name}.jpg', photograph(picture, name).content)
                _show(runner, f'{FOLDER}/{name}', picture)
        except Exception as error:  # whatever it is, the run is worth more than its pictures
            self.is_wanted = False
            runner.logger.warning(f'predictions of this run are not drawn: {in_one_line(error)}')

    def _drawn(self, runner: Runner) -> Iterator[tuple[str, Image.Image]]:
        model = runner.model
        if isinstance(model, DistributedDataParallel):
            model = model.module
        elif is_model_wrapper(model):
            raise TypeError(f'no process has a whole model under {type(model).__name__}')
        data = runner.val_dataloader.dataset
        with torch.compiler.set_stance('force_eager'):  # a few images are not worth a compilation
            yield from find_task(runner.cfg).draw(model, data, self.count, self.score_threshold)


def _show(runner: Runner, name: str, picture: Image.Image) -> None:
    """Give a picture to the trackers, not to the local log, which would write a second file."""
    for backend in runner.visualizer._vis_backends.values():
        if isinstance(backend, Backend):
            backend.add_image(name, np.asarray(picture.convert('RGB')), runner.iter)
