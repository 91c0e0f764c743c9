"""Visualizations of samples: unchanged, as training sees them, and as evaluation sees them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mmengine.dataset import Compose, pseudo_collate
from mmengine.structures import BaseDataElement
from torch import nn
from torch.utils.data import Dataset

from ..drawing.sample_sheet import Drawn, Row, to_pixels
from .replay import Replay


@dataclass(frozen=True)
class Views:
    """Draws samples unchanged, as training sees them, and as evaluation sees them.

    Attributes:
        dataset: gives the description of a sample that its pipeline begins with.
        loading: the steps that load picture and annotations, and pack them.
        evaluation: the pipeline of evaluation; None where nothing is evaluated.
        replay: the training run; None where the data are not for training.
        preprocessor: that of the model.
        settings: of the preprocessor.
        draw: ``Task.browse`` for pixels and a sample of this dataset.
    """

    dataset: Dataset
    loading: Compose
    evaluation: Compose | None
    replay: Replay | None
    preprocessor: nn.Module
    settings: Mapping
    draw: Callable[[np.ndarray, BaseDataElement], Drawn]

    def rows(self, indices: Collection[int], draws: int) -> list[Row]:
        """Return a row for each sample: the file, up to ``draws`` of training, evaluation.

        Raises:
            InputError: a file cannot be read.
        """
        places = self.replay.first_places(indices, draws) if self.replay else {}
        rows = []
        for index in indices:
            info = self.dataset.get_data_info(index)
            name = Path(info.get('img_path', f'sample {index}')).name  # some are without files
            row = [self._packed(name, self.loading(info))]
            for place in places.get(index, ()):
                row.append(self._packed(self.replay.when(place), self.replay.sample(index, place)))
            if self.evaluation:  # the image alone: its annotations are those of the file
                batch = pseudo_collate([self.evaluation(self.dataset.get_data_info(index))])
                pixels = to_pixels(self.preprocessor(batch, False)['inputs'][0], self.settings)
                row.append((_sized('evaluation', pixels), self.draw(pixels, BaseDataElement())))
            rows.append(row)
        return rows

    def first_batch(self, number: int) -> list[Row]:
        """Return a row of up to ``number`` pictures of the run's first batch, as the model gets it.

        They are padded to one size, and mixed, if the model does it. Empty where no batch is full.
        """
        batch = self.replay and self.replay.first_batch(self.preprocessor)
        if not batch:
            return []
        samples = batch['data_samples']
        row = []
        for i, image in enumerate(batch['inputs'][:number]):
            pixels = to_pixels(image, self.settings)
            title = _sized(f'step 1, image {i + 1} of {len(samples)}', pixels)
            row.append((title, self.draw(pixels, samples[i])))
        return [row]

    def _packed(self, title: str, sample: dict) -> tuple[str, Drawn]:
        pixels = to_pixels(sample['inputs'].float(), {})
        return _sized(title, pixels), self.draw(pixels, sample['data_samples'])


def _sized(title: str, pixels: np.ndarray) -> str:
    height, width = pixels.shape[:2]
    return f'{title}, {width} x {height}'
