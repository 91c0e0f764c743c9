"""The options of the commands ``train`` and ``test`` as typed fields.

The command lines are read in :mod:`..commands`, which checks single values and what excludes each
other; calls from Python take the same way (:mod:`..commands.python`).
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from typing import Any, ClassVar

from ..configuration.settings import as_list
from ..errors import InputError
from ..runtime.runtimes import is_exported


@dataclass(frozen=True)
class RunRequest:
    """Options that training and testing share.

    Attributes:
        config: name or file of a config.
        work_dir: where logs and checkpoints go; None for ``work_dirs/<config name>``.
        data_root: folder of the dataset, in place of the one that the config names.
        annotations, pictures, masks: which files of ``data_root`` are meant.
        cfg_options: key -> value, changes of the config.
        size: side of images in pixels, see :func:`~..configuration.image_size.with_size`.
        batch_size: of each process.
        device: what computes; None for a GPU if there is one.
        launcher: what has started the processes of the run.
        local_rank: of this process, where a launcher passes it on.
    """

    KEYS: ClassVar[Mapping[str, str]] = {}  # by the name of an option: what it sets in a config

    config: str
    _: KW_ONLY
    work_dir: str | None = None
    data_root: str | None = None
    annotations: tuple[str, ...] = ()
    pictures: str | None = None
    masks: str | None = None
    cfg_options: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None
    batch_size: int | None = None
    device: str | None = None
    launcher: str = 'none'
    local_rank: int = 0

    @property
    def changes(self) -> dict[str, Any]:
        """Changes of the config, by key: those of options, and ``cfg_options``.

        Raises:
            InputError: both of them set a key.
        """
        given = self.given()
        for name in self.KEYS:
            if name in given and self.KEYS[name] in self.cfg_options:
                raise InputError(
                    f'{option_name(name)} and --cfg-options {self.KEYS[name]} set the same; remove '
                    'one of them'
                )
        own = {key: given[name] for name, key in self.KEYS.items() if name in given}
        return own | dict(self.cfg_options)

    def given(self) -> dict[str, Any]:
        """Return the options that are not at their defaults, by name."""
        given = {}
        for each in fields(self):
            default = {} if each.default is MISSING else each.default
            value = getattr(self, each.name)
            if each.kw_only and value != default:
                given[each.name] = value
        return given

    def words(self, *names: str) -> list[str]:
        """Return the words of a command line that gives these options, or all that are given."""
        given = self.given()
        return words_of({name: given[name] for name in given if not names or name in names})


@dataclass(frozen=True)
class TrainRequest(RunRequest):
    """The options of a training, as ``vitbackbones train --help`` describes them.

    Attributes:
        pretrained, scratch: what the backbone starts from.
        resume: a checkpoint to continue from, ``'latest'`` for that of the work dir.
        overwrite: start from the beginning, and remove the checkpoints of the work dir.
        steps, epochs: length of the run, see :func:`~..configuration.length.with_length`.
        patience: evaluations without a gain, see
            :func:`~..preparing.early_stopping.stop_early`.
        lr: learning rate, see :func:`~..configuration.length.with_rate`.
        seed: of all random numbers.
        workers: processes that load data, of each process that trains.
        freeze: ``'backbone'``, or the number of its first stages.
        lora: rank of adapters.
        cache_gb, cache_views: of the maps of a frozen backbone.
        amp, fsdp, compile: how it is computed.
        track: what follows the run.
        overfit, smoke: a short run in place of the training.
    """

    KEYS: ClassVar[Mapping[str, str]] = {
        'steps': 'train_cfg.max_iters',
        'epochs': 'train_cfg.max_epochs',
        'batch_size': 'train_dataloader.batch_size',
        'lr': 'optim_wrapper.optimizer.lr',
        'seed': 'randomness.seed',
    }

    _: KW_ONLY
    pretrained: str | None = None
    scratch: bool = False
    resume: str | None = None
    overwrite: bool = False
    steps: int | None = None
    epochs: int | None = None
    patience: int | None = None
    lr: float | None = None
    seed: int | None = None
    workers: int | None = None
    freeze: str | int | None = None
    lora: int | None = None
    cache_gb: float | None = None
    cache_views: int | None = None
    amp: bool = False
    fsdp: bool = False
    compile: bool = False
    track: tuple[str, ...] = ()
    overfit: int | None = None
    smoke: bool = False


@dataclass(frozen=True)
class TestRequest(RunRequest):
    """The options of a test, as ``vitbackbones test --help`` describes them.

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
        precision: a word of :data:`~..utils.rules.PRECISIONS` for OpenVINO, or a number with
            ``confidence``: of the scores that a report chooses, in place of the best F1, see
            :class:`~..reports.thresholds.Promise`.
        score_threshold: lowest score that is drawn; None for the one of the weights.
        faster_coco: require faster-coco-eval, which computes the metrics of COCO if it is there.
    """

    __test__: ClassVar = False  # for pytest
    KEYS: ClassVar[Mapping[str, str]] = {'batch_size': 'test_dataloader.batch_size'}

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
    precision: float | str | None = None
    confidence: float | None = None
    score_threshold: float | None = None
    faster_coco: bool = False

    @property
    def promised(self) -> float | None:
        """The precision of scores; None where there is none."""
        return None if isinstance(self.precision, str) else self.precision

    @property
    def computed(self) -> str:
        """The precision that OpenVINO computes in."""
        return self.precision if isinstance(self.precision, str) else 'auto'

    @property
    def exported(self) -> bool:
        """Whether the checkpoint is an exported file."""
        return is_exported(self.checkpoint)


def option_name(name: str) -> str:
    """Return the command-line option of a field."""
    return f'--{name.replace("_", "-")}'


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Return the words of a command line that gives these options, by their names in Python."""
    words = []
    for name, value in options.items():
        if value is None or value is False or value in ((), [], {}):
            continue
        following = values_in_words(value)
        if len(following) == 1 and following[0].startswith('-'):  # which is no option
            words.append(f'{option_name(name)}={following[0]}')
        else:
            words += [option_name(name), *following]
    return words


def values_in_words(value: Any) -> list[str]:
    """Return the arguments of an option on a command line."""
    if value is True:
        return []
    if isinstance(value, Mapping):
        return [f'{key}={each}' for key, each in value.items()]
    return [str(each) for each in as_list(value)]
