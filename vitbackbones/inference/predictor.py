"""A model with its weights and class names, from a config and a checkpoint, ready to answer."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import torch
from mmengine.config import Config
from mmengine.dataset import Compose, pseudo_collate
from mmengine.model import revert_sync_batchnorm
from mmengine.registry import MODELS, DefaultScope

from ..checkpoints.filling import load_file
from ..config.metainfo import agreed_meta
from ..config.settings import model_settings
from ..datasets.checks.sizes import resize_fault
from ..datasets.load_image import UnreadableImage
from ..errors import InputError
from ..preflight.explain import explained
from ..registry import bare_name
from ..training.hooks.fitting_checkpoint import fitting_state
from ..training.precision import half_type
from .sources import Shot


def choose_device(name: str | None) -> torch.device:
    """The device of that name; without one a GPU where there is one.

    Raises:
        InputError: there is no such device.
    """
    try:
        device = torch.device(name or ('cuda' if torch.cuda.is_available() else 'cpu'))
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f'--device {name}: {str(error).splitlines()[0]}') from error
    return device


class Predictor:
    """Prepares shots and answers batches of them.

    Args:
        config: of a detector, a segmentor or a classifier.
        checkpoint: the file with its weights.
        device: where to compute.
        amp: in half precision (autocast).

    Attributes:
        meta: ``classes``, a name for each class, and ``palette`` where one is known.

    Raises:
        InputError: the checkpoint is none of this model, or of other classes.
    """

    def __init__(
        self, config: Config, checkpoint: Path, device: torch.device, amp: bool = False
    ) -> None:
        self.device = device
        self.autocast = (
            torch.autocast(device.type, half_type(device.type)) if amp else nullcontext()
        )
        with DefaultScope.overwrite_default_scope(config.default_scope), explained(config):
            self.steps = _after_loading(config.test_dataloader.dataset)
            self.pipeline = Compose(self.steps)
            self.model = revert_sync_batchnorm(MODELS.build(model_settings(config)))
        content, name = load_file(checkpoint), str(checkpoint)
        self.meta = agreed_meta(config, content, self.model, name)
        state = fitting_state(name, self.model, content)
        self.model.load_state_dict(state, strict=False)  # num_batches_tracked may be missing
        self.model.to(device).eval()

    def prepare(self, shot: Shot) -> dict:
        """Run the config's test pipeline on a shot; ``inputs`` is the image (3, H, W).

        Raises:
            UnreadableImage: the pipeline cannot resize an image of such sides.
        """
        shape = shot.pixels.shape[:2]
        if fault := resize_fault(self.steps, *shape):
            raise UnreadableImage(f'{shot}: {fault}')
        about = {'img_path': str(shot.source.path), 'img_id': 0}
        return self.pipeline({'img': shot.pixels, 'img_shape': shape, 'ori_shape': shape} | about)

    @torch.no_grad()
    def __call__(self, samples: Sequence[dict]) -> list:
        """Answer prepared shots, whose images have one size, with the toolbox's data samples."""
        with self.autocast:
            return [answer.cpu() for answer in self.model.test_step(pseudo_collate(samples))]


def _after_loading(dataset: dict) -> list[dict]:
    """The test pipeline without what loads images and annotations."""
    while 'pipeline' not in dataset:  # a wrapper
        dataset = dataset['dataset']
    return [s for s in dataset['pipeline'] if not bare_name(s['type']).startswith('Load')]
