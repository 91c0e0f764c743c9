"""What a test is asked for."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from ..errors import InputError
from ..inference.request import RUNTIMES, ModelRequest
from ..runtime.runtimes import is_exported
from .imagenet_sets import SETS
from .request import RunRequest

FUSED = ('float32', 'bfloat16')


@dataclass(frozen=True)
class TestRequest(RunRequest):
    """What a test is asked for, as ``vitbackbones test --help`` describes it.

    Attributes:
        checkpoint: a file, a work dir for its latest, ``WORK_DIR/best``, or an exported file.
        dataset: other labels or images of ImageNet.
        runtime: what computes.
        fused, compile: how torch computes.
        trusted: whether code in an exported ``.pt2`` file may run.
        tta: average over the scales and flips of the config.
        tiles, overlap, merge: of large images, see :class:`~..inference.tiles.Tiling`.
        draw: folder for images with predictions and ground truth.
        report: folder for a page of scores and mistakes.
        overwrite: replace the page of an earlier report.
        num_pictures: how many images are drawn, or shown in the report.
        score_threshold: lowest score that is drawn; None for the one of the weights.
        faster_coco: compute the metrics of COCO by faster-coco-eval.
    """

    __test__: ClassVar = False  # for pytest

    checkpoint: str
    _: KW_ONLY
    dataset: str | None = None
    runtime: str = 'torch'
    fused: str | None = None
    compile: bool = False
    trusted: bool = False
    tta: bool = False
    tiles: int | None = None
    overlap: float = 0.2
    merge: str = 'nms'
    draw: str | None = None
    report: str | None = None
    overwrite: bool = False
    num_pictures: int = 16
    score_threshold: float | None = None
    faster_coco: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_at_least(1, 'num_pictures', 'tiles')
        self.require_one_of('dataset', SETS)
        self.require_one_of('runtime', tuple(RUNTIMES))
        self.require_one_of('fused', FUSED)
        self.require_apart('tta', 'draw')
        if self.score_threshold is not None and not 0 <= self.score_threshold <= 1:
            raise InputError(
                f'--score-threshold {self.score_threshold}: must be a number from 0 to 1'
            )

    @property
    def exported(self) -> bool:
        """Whether the checkpoint is an exported file."""
        return is_exported(self.checkpoint)

    @property
    def model(self) -> ModelRequest:
        """The model that is tested, as a prediction would ask for it."""
        return ModelRequest(
            config=self.config,
            checkpoint=self.checkpoint,
            runtime=self.runtime,
            fused=self.fused,
            compile=self.compile,
            cfg_options=self.changes,
        )
