"""The interface between the commands and a task."""

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from .agreement import Maps, Misfit

if TYPE_CHECKING:  # whoever imports a head imports this module, and needs none of these
    import numpy as np
    from mmengine.config import Config
    from mmengine.runner import TestLoop
    from mmengine.structures import BaseDataElement
    from PIL.Image import Image
    from torch import nn

    from ..data.checks.findings import Findings, Look
    from ..drawing.sample_sheet import Drawn
    from .own_data import OwnData

Rule = Callable[[Mapping], Iterator[str]]


class Task:
    """A task and the toolbox that it runs in.

    Methods import what they need when they are called: every run asks a task, and no run asks all.

    Attributes:
        scope: ``default_scope`` of its configs, the name of the toolbox.
        packer: transform that ends a pipeline: it packs a sample for the toolbox's models.
        measured: by the type of a metric, what returns the names of all that a metric with these
            settings measures, or None where the settings do not tell.
        rules: what has to agree in a config; each yields ``KEY: what is wrong``.
        fits: what heads must have in common with their maps; each yields what does not fit, given
            the config of the model and the maps.
        unit: what is counted to tell how much there is of a class.
        needs_contrast: whether there is nothing to learn where all units are of one class.
        sized: parts of a model with sizes of images among their settings.
        reads_folders: whether :meth:`use_folder` reads folders of other layouts than the config's.
        file_options: options of the command line that say which files of such a folder are meant.
    """

    scope: ClassVar[str]
    packer: ClassVar[str]
    measured: ClassVar[Mapping[str, Callable[[Mapping], list[str] | None]]]
    rules: ClassVar[tuple[Rule, ...]]
    fits: ClassVar[tuple[Callable[[Mapping, Maps], Iterator[Misfit]], ...]] = ()
    unit: ClassVar[str]
    needs_contrast: ClassVar[bool] = True
    sized: ClassVar[tuple[str, ...]] = ()
    reads_folders: ClassVar[bool] = False
    file_options: ClassVar[tuple[str, ...]] = ()

    # -- data
    def check_dataset(self, dataset: dict, evaluated: bool) -> 'Findings':
        """Look into the files of a dataset, given its config and whether it is evaluated on."""
        raise NotImplementedError

    def check_datasets(self, datasets: Collection[dict]) -> None:
        """Compare the datasets of all splits, given their configs."""

    def check_evaluators(self, config: 'Config', found: 'dict[str, Findings]') -> list[str]:
        """Compare metrics with their datasets, given what was found by the sets' places.

        Returns:
            what deserves a warning.
        """
        return []

    def file_checks(self, dataset: dict) -> 'dict[str, Callable[[], Look]]':
        """Return, for files of a dataset beside its images, what looks at them."""
        return {}

    def shapes(self, config: 'Config') -> dict:
        """Return how :func:`vitbackbones.data.shapes.writing.write` draws data for a smoke test."""
        raise NotImplementedError

    def use_shapes(self, config: 'Config', root: Path) -> 'Config':
        """Return a config that has these data, in the folder ``root``, instead of its own."""
        raise NotImplementedError

    def fits_folder(self, config: 'Config', root: Path) -> bool:
        """Tell whether a config can be run on a folder as it is; where ``reads_folders``."""
        raise NotImplementedError

    def use_folder(
        self, config: 'Config', root: Path, lists: Path, trained: Mapping | None, **meant: Any
    ) -> 'OwnData':
        """Return a config that is run on what a folder holds; where ``reads_folders``.

        Args:
            config: of a run.
            root: the folder.
            lists: a folder to write lists into.
            trained: what the checkpoint to test says of its data, None for training.
            meant: which files are meant, by the names of ``file_options``.

        Raises:
            InputError: the folder has no such data, or it is not clear which ones are meant.
        """
        raise NotImplementedError

    # -- models and their answers
    def preprocessor(self, model: Mapping) -> dict:
        """Return the settings of the data preprocessor that a model builds, given the model's."""
        return dict(model.get('data_preprocessor') or {'type': 'BaseDataPreprocessor'})

    def browse(
        self, pixels: 'np.ndarray', sample: 'BaseDataElement', meta: Mapping, longest: int
    ) -> 'Drawn':
        """Draw a sample as it comes out of a pipeline or the data preprocessor.

        Args:
            pixels: (H, W, 3) in OpenCV's order.
            sample: of the toolbox; it may have no annotations.
            meta: ``metainfo`` of the dataset.
            longest: longer side of the picture at most.
        """
        raise NotImplementedError

    def draw(
        self, model: 'nn.Module', dataset, number: int, threshold: float
    ) -> 'Iterator[tuple[str, Image]]':
        """Draw predictions on ``number`` images beside the truth; yield names and pictures."""
        raise NotImplementedError

    def report(self, loop: 'TestLoop', number: int, threshold: float | None) -> Any:
        """Return what reads the results of a test for ``--report``.

        Args:
            loop: of the test, before it runs.
            number: of pictures that are shown, the worst.
            threshold: least score of a detection that counts in confusion matrix and pictures; None
                for the best one. It is in the attribute ``chosen`` once the sections are read.
        """
        raise NotImplementedError
