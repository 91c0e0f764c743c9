"""A model with its weights and class names, from a config and a checkpoint, ready to predict."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import torch
from mmengine.config import Config
from mmengine.dataset import Compose, pseudo_collate
from mmengine.model import revert_sync_batchnorm
from mmengine.registry import MODELS, DefaultScope
from torch import nn

from ..configuration.classes import agreed_meta
from ..configuration.data_paths import datasets, first_dataset, separated
from ..configuration.settings import model_settings
from ..data.checks.findings import color_type
from ..data.loading.image_file import UnreadableImage
from ..data.sources import Frame
from ..openmmlab.fusing import fuse_model
from ..openmmlab.samples import to_answer
from ..registry import bare_name
from ..runtime.answers import Answer, require_numbers
from ..training.distributed import choose_device as choose_device  # its place in 1.0
from ..training.hooks.fitting_checkpoint import fitting_state
from ..training.precision import half_type
from ..weights.filling import load_model_file


def steps_after_loading(config: Config) -> list[dict]:
    """Return the test pipeline of a config without the steps that load images and annotations."""
    steps = first_dataset(config, 'test')['pipeline']
    return [step for step in steps if not bare_name(step['type']).startswith('Load')]


def only_loading(config: Config) -> Config:
    """Return a config whose test pipelines only load and pack, for models that prepare images."""
    config = separated(config)
    config.pop('data_preprocessor', None)  # which a runner gives to any model
    for _, dataset in datasets(config, ('test',)):
        dataset.pipeline = [
            s for s in dataset.pipeline if bare_name(s['type']).startswith(('Load', 'Pack'))
        ]
    return config


class Answering:
    """A toolbox's model, behind the steps of a test pipeline that follow loading."""

    at_once = 1

    def __init__(self, model: nn.Module, steps: list[dict]) -> None:
        self.model = model
        self.pipeline = Compose(steps)
        self.autocast: Callable[[], AbstractContextManager] = nullcontext
        self.runtime = f'torch {torch.__version__}'
        self.meta = {}

    def prepare(self, frame: Frame) -> dict:
        """Run the config's test pipeline on a frame; ``inputs`` is the image (3, H, W).

        Raises:
            UnreadableImage: the pipeline cannot resize an image of such sides.
        """
        shape = frame.pixels.shape[:2]
        about = {'img_path': str(frame.source.path), 'img_id': 0}
        sample = {'img': frame.pixels, 'img_shape': shape, 'ori_shape': shape} | about
        try:
            return self.pipeline(sample)
        except cv2.error as error:  # such as a side that vanishes
            size = f'{shape[1]} x {shape[0]} pixels'
            raise UnreadableImage(f'{frame}: its {size} cannot be resized') from error

    def answer(self, samples: Sequence[dict], logits: bool = False) -> list[Answer]:
        """Return the answers for prepared frames, whose images have one size.

        Raises:
            InputError: there is NaN or infinity in what the model has found.
        """
        answers = []
        for sample in self(samples):
            answer = to_answer(sample)
            found = vars(answer)
            if 'seg_logits' in sample:  # (classes, H, W); a label would hide NaN
                found = {'logits': sample.seg_logits.data.float().numpy()}
            require_numbers(found, 'the model')
            answers.append(replace(answer, **found) if logits else answer)
        return answers

    @torch.no_grad()
    def __call__(self, samples: Sequence[dict]) -> list:
        """Return the toolbox's data samples for prepared frames, whose images have one size."""
        with self.autocast():  # a new one, as each keeps what it is to put back
            return [sample.cpu() for sample in self.model.test_step(pseudo_collate(samples))]


class Predictor(Answering):
    """Prepares frames, and predicts batches of them.

    Args:
        config: of a detector, a segmentor or a classifier.
        checkpoint: the file with its weights; ``None`` to leave them as they are initialized.
        device: where to compute.
        amp: compute in half precision (autocast).
        fused: fold the weights, ``'float32'`` or ``'bfloat16'`` for the backbone; None to leave
            them as they are.
        compile: make one program of the backbone, folded, when the first batch comes.

    Attributes:
        runtime: the version of torch.
        meta: ``classes``, a name for each class, and ``palette`` where one is known; empty
            without a checkpoint.

    Raises:
        InputError: the checkpoint is of another model, or of other classes.
    """

    def __init__(
        self,
        config: Config,
        checkpoint: Path | None,
        device: torch.device,
        amp: bool = False,
        fused: str | None = None,
        compile: bool = False,
    ) -> None:
        self.device = device
        self.steps = steps_after_loading(config)
        loaded = color_type(first_dataset(config, 'test')['pipeline'])
        self.color = loaded if isinstance(loaded, int) else 'color'
        with DefaultScope.overwrite_default_scope(config.default_scope):
            model = revert_sync_batchnorm(MODELS.build(model_settings(config)))
            super().__init__(model, self.steps)
        if amp:
            self.autocast = partial(torch.autocast, device.type, half_type(device.type))
        if checkpoint is not None:
            content = load_model_file(checkpoint)
            name = str(checkpoint)
            self.meta = agreed_meta(config, content, self.model, name)
            state = fitting_state(name, self.model, content)
            self.model.load_state_dict(state, strict=False)  # num_batches_tracked may be missing
        self.model.to(device).eval()
        if fused or compile:
            dtype = torch.bfloat16 if fused == 'bfloat16' else None
            self.model = fuse_model(self.model, dtype, compile)
