"""The request to :func:`.open.find_model`: which model to use, and how to run it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..data.sources import SUFFIXES
from .tiles import Tiling

AUTO = 'auto'
# Which an exported file cannot follow, as options of a command are named.
FOR_CONFIGS = ('device', 'amp', 'fused', 'compile', 'cfg_options', 'size', 'runtime')
# By the name of a runtime: the suffix of what it runs, None of torch.
RUNTIMES = {AUTO: '.xml', 'torch': None, 'openvino': '.xml', 'onnxruntime': '.onnx'}


@dataclass(frozen=True)
class ModelRequest:
    """Which model to use, and how to run it.

    Attributes:
        config: name or file of a config, or an exported file.
        checkpoint: a file, a work dir for its latest, or ``WORK_DIR/best``; None for weights that
            come with the package, or for an exported file.
        inputs: what is to be predicted. Where ``checkpoint`` is None, the first may be a
            checkpoint, as in ``predict CONFIG [CHECKPOINT] INPUT``: only the config tells.
        runtime: a name of :data:`RUNTIMES`.
        precision: of graphs and files, one of :data:`vitbackbones.utils.rules.PRECISIONS`.
        streams: whether several pictures are answered at a time, where OpenVINO computes.
        device, amp, fused, compile: of torch, as of ``vitbackbones predict``.
        cfg_options: key -> value, changes of the config.
        size: side of images in pixels, None for that of the config.
        trusted: whether code in an exported ``.pt2`` file may run.
        tiling: how pictures are cut, None where they are not.
    """

    config: str
    checkpoint: str | None = None
    inputs: tuple[str, ...] = ()
    runtime: str = AUTO
    precision: str = AUTO
    streams: bool = False
    device: str | None = None
    amp: bool = False
    fused: str | None = None
    compile: bool = False
    cfg_options: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None
    trusted: bool = False
    tiling: Tiling | None = None

    @classmethod
    def of(cls, options: Any, **others: Any) -> 'ModelRequest':
        """Return the request of options of a command, which have its names, and of ``others``."""
        named = {key: value for key, value in vars(options).items() if key in cls.__annotations__}
        return cls(**(named | others))

    @property
    def first(self) -> str | None:
        """What is a checkpoint, or may be one: a single input is none."""
        return self.checkpoint or (self.inputs[0] if len(self.inputs) > 1 else None)

    def given(self) -> list[str]:
        """Return the options that are given; an exported file can follow none of them."""
        default = ModelRequest(self.config)
        names = [n for n in FOR_CONFIGS if getattr(self, n) != getattr(default, n)]
        return [f'--{name.replace("_", "-")}' for name in names]

    def for_torch(self) -> list[str]:
        """Return the given options that only torch can follow."""
        others = {'--cfg-options', '--runtime', '--size'}
        if self.device == 'cpu':  # where every runtime computes
            others.add('--device')
        return [option for option in self.given() if option not in others]

    def words(self) -> dict:
        """Return what of a command line leads to a model, as the notes of the cache are named."""
        first = self.first
        is_checkpoint = bool(first) and Path(first).suffix.lower() not in SUFFIXES
        return {
            'config': self.config,
            'checkpoint': first if is_checkpoint else None,
            'inputs': is_checkpoint,
            'cfg_options': repr(dict(self.cfg_options)),
            'size': self.size,
            'runtime': self.runtime,
        }
