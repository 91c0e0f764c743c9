"""Tiles in ``test``: the metrics of the config evaluate the predictions of ``predict --tiles``."""

from pathlib import Path

import numpy as np
from mmengine.config import Config
from mmengine.model import BaseTTAModel

from ..configuration.settings import model_settings
from ..data.sources import Frame, Source
from ..openmmlab.samples import fill
from ..registry import SCOPE
from ..tasks.predictor import Answering, only_loading, steps_after_loading
from .tiles import TiledModel, Tiling


def use_tiles(config: Config, tiling: Tiling) -> Config:
    """Return a config whose model predicts the test images in tiles."""
    loading = only_loading(config)
    loading.model = {
        'type': f'{SCOPE}.TiledInTest',
        'module': model_settings(config),
        'steps': steps_after_loading(config),
        'batch_size': config.test_dataloader.get('batch_size', 1),
        **vars(tiling),
    }
    return loading


class TiledInTest(BaseTTAModel):
    """Answers in tiles of the model ``module``, by the ``steps`` of its pipeline after loading."""

    merge_preds = None  # of views; tiles are merged in ``test_step``

    def __init__(self, module: dict, steps: list[dict], batch_size: int, **tiling) -> None:
        super().__init__(module)
        self.steps = steps
        self.how = (Tiling(**tiling), batch_size)

    def test_step(self, data: dict) -> list:
        """Return the data samples of a batch, with what is found in them."""
        tiled = TiledModel(Answering(self.module, self.steps), *self.how)  # it may be fused since
        for image, sample in zip(data['inputs'], data['data_samples'], strict=True):
            pixels = np.ascontiguousarray(image.permute(1, 2, 0))  # (3, H, W) -> (H, W, 3), BGR
            frame = Frame(Source(Path(sample.img_path), sample.img_path), pixels)
            fill(sample, tiled.answer([tiled.prepare(frame)])[0])
        return data['data_samples']
