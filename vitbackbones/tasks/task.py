"""All that the tools have to know of a task, as one record."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from ..datasets.own.names import in_words
from ..messages import plural
from ..registry import SCOPE

if TYPE_CHECKING:  # whoever imports a head imports this module, and needs none of these
    import numpy as np
    from mmengine.config import Config
    from mmengine.structures import BaseDataElement
    from torch import nn

    from ..datasets.checks.findings import Findings, Look
    from ..drawing.samples import Drawn

Rule = Callable[[Mapping], Iterator[str]]


@dataclass(frozen=True)
class Maps:
    """The maps that the heads of a model read.

    Attributes:
        channels: of each.
        strides: of each, or of the first ones, where those of the others are not known.
        source: what gives them, ``'the backbone'`` or ``'the neck'``.
    """

    channels: list[int]
    strides: list[int]
    source: str

    def __str__(self) -> str:
        more = ', ...' if len(self.strides) < len(self.channels) else ''
        of = f' of strides [{", ".join(map(str, self.strides))}{more}]' if self.strides else ''
        return f'{self.source} gives {self.count}{of}'

    @property
    def count(self) -> str:
        """How many there are, in words."""
        return f'{len(self.channels)} map{"" if len(self.channels) == 1 else "s"}'


class Misfit(NamedTuple):
    """What does not fit, as ``KEY: what is wrong``, and what to do, which may help several."""

    wrong: str
    remedy: str = ''


@dataclass(frozen=True)
class Deferred:
    """A function or class of this package, ``module:name``, that is imported when it is called.

    Every run reads a record, and no run needs all that a record names.
    """

    place: str

    def __call__(self, *arguments: Any) -> Any:
        return resolve_name(f'{SCOPE}.{self.place}')(*arguments)


@dataclass
class OwnData:
    """A config on the data of a folder, what was found there in one line, and what is odd of it."""

    config: 'Config'
    summary: str
    warnings: list[str]


def found_in_words(classes: Sequence[str], counts: Mapping[str, int], source: str) -> str:
    """Return the summary of own data.

    >>> found_in_words(('cat', 'dog'), {'train': 80, 'val': 20}, 'pets')
    '2 classes: cat, dog; 80 pictures for train, 20 for val from pets'
    """
    (split, count), *others = counts.items()
    first = f'{plural(count, "picture")} for {split}'
    pictures = ', '.join([first, *(f'{count} for {split}' for split, count in others)])
    return f'{in_words(classes)}; {pictures} from {source}'


def tested_in_words(classes: Sequence[str], counts: Mapping[str, int], source: str) -> str:
    """Return the summary of own data that a trained model is tested on.

    >>> tested_in_words(('cat', 'dog'), {'train': 80, 'val': 20}, 'pets')
    '2 classes: cat, dog; tested on the 20 pictures for val, not on 80 for train, from pets'
    >>> tested_in_words(('cat', 'dog'), {'test': 100}, 'pets')
    '2 classes: cat, dog; tested on all 100 pictures from pets'
    """
    split = 'test' if 'test' in counts else 'val'
    pictures = plural(counts[split], 'picture')
    others = ', '.join(f'{count} for {other}' for other, count in counts.items() if other != split)
    tested = f'the {pictures} for {split}, not on {others},' if others else f'all {pictures}'
    return f'{in_words(classes)}; tested on {tested} from {source}'


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task and the toolbox that it runs in.

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
        check_dataset: looks into the files of a data set, given its config and whether it is
            evaluated on.
        check_datasets: compares the data sets of all splits, given their configs.
        check_evaluators: compares the metrics of a config with its data sets, given what was found
            in each of these, by their paths in the config.
        file_checks: returns, for files of a data set beside its images, what looks at them.
        shapes: returns how :func:`vitbackbones.datasets.shapes.write` draws data for a smoke test.
        use_shapes: returns a config that has these data, in the folder given, instead of its own.
        fits_folder: tells whether a config can be run on a folder as it is.
        use_folder: returns a config that is run on what a folder holds, given the folder, one to
            write lists into, and what the checkpoint to test says of its data, None for training;
            None where a task reads nothing from folders of other layouts.
        sized: parts of a model with sizes of images among their settings.
        exportable: makes a model of the toolbox, in eval mode, a module for an exported file, given
            what a segmentor answers, ``'logits'`` or ``'mask'``. It maps images (N, 3, H, W),
            normalized, of one size and without padding, to a tuple of tensors. Its ``outputs`` are
            their names; ``fixed_size`` says why the size cannot be dynamic, '' where it can.
        preprocessor: returns the settings of the data preprocessor that a model builds, given the
            model's, of which nothing is changed.
        browse: draws a sample as it comes out of a pipeline or the data preprocessor, given its
            pixels (H, W, 3) in OpenCV's order, the toolbox's sample, which may have no annotations,
            the ``metainfo`` of the data set, and the longer side of the picture at most.
        writer: makes what writes predictions, given a folder, the classes, the least score and the
            form of masks.
        draw: draws predictions beside the ground truth and yields names and pictures, given a
            model, a data set, the number of images and the least score.
        report: makes what reads the results of a test for ``--report``, given the test loop, the
            number of pictures that it shows and the least score.
    """

    scope: str
    packer: str
    measured: Mapping[str, Callable[[Mapping], list[str] | None]]
    rules: tuple[Rule, ...]
    fits: tuple[Callable[[Mapping, Maps], Iterator[Misfit]], ...] = ()
    unit: str
    needs_contrast: bool = True
    check_dataset: 'Callable[[dict, bool], Findings]'
    check_datasets: Callable[[Collection[dict]], None] = lambda datasets: None
    check_evaluators: 'Callable[[Config, dict[str, Findings]], None]' = lambda config, found: None
    file_checks: 'Callable[[dict], dict[str, Callable[[], Look]]]' = lambda dataset: {}
    shapes: 'Callable[[Config], dict]'
    use_shapes: 'Callable[[Config, Path], Config]'
    fits_folder: 'Callable[[Config, Path], bool]' = lambda config, root: True
    use_folder: 'Callable[[Config, Path, Path, Mapping | None], OwnData] | None' = None
    sized: tuple[str, ...] = ()
    exportable: 'Callable[[nn.Module, str], nn.Module]'
    preprocessor: Callable[[Mapping], dict] = lambda model: dict(
        model.get('data_preprocessor') or {'type': 'BaseDataPreprocessor'}
    )
    browse: 'Callable[[np.ndarray, BaseDataElement, Mapping, int], Drawn]'
    writer: Callable[[Path, dict, float, str], Any]
    draw: Callable[..., Iterator[tuple[str, Any]]]
    report: Callable[..., Any]
