"""INT8 graphs, evaluated with the metric of the task and compared with float32.

NNCF reads the range of every tensor on training images and lets matrix multiplications and
convolutions compute in 8 bits. LayerNorm, softmax and whatever else its rules for transformers name
stay in float32. The ranges fit the images that they were read on, so these never judge the file.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ..data.loading.load_image import read_image
from ..errors import InputError
from ..runtime import Exported, load
from ..runtime.card import Card
from ..utils.packages import import_optional
from .calibration import choose, require_others, require_seen
from .judges import Agreement, Validation
from .quantizing import NNCF, accuracy_control, in_float32, quantized


@dataclass(frozen=True, kw_only=True)
class Int8:
    """How a graph is brought to 8 bits.

    Attributes:
        pictures: files that ranges are read on, at most :data:`.calibration.ENOUGH`, evenly chosen.
        judge: made of the exported file in float32; its ``score`` of a file is its ``metric``, from
            0 to 1, on its ``files``.
        max_drop: what the metric may lose at most, absolute.
        control: whether layers are left in float32 until no more is lost: the one that matters
            most, at most :data:`.quantizing.ROUNDS` times.
    """

    pictures: Sequence[Path]
    judge: Callable[[Exported], Validation | Agreement]
    max_drop: float = 0.01
    control: bool = False


def to_int8(file: Path, settings: Int8) -> Card:
    """Bring an exported file to 8 bits in its place, and return its card with the proof.

    Args:
        file: for OpenVINO, in float32; its card lies beside it.
        settings: how.

    Raises:
        InputError: NNCF is not installed or has no 8-bit form of the graph, pictures are too few or
            those that it is judged by, or the metric loses too much.
    """
    openvino = import_optional('openvino', 'openvino')
    import_optional(*NNCF)
    chosen = choose(settings.pictures)
    exported = load(file)
    judge = settings.judge(exported)
    require_others(chosen, judge.files)
    require_seen(exported, chosen)
    before = judge.score(exported)

    control = accuracy_control(exported, judge, settings.max_drop) if settings.control else {}
    whole = openvino.Core().read_model(str(file))
    read = partial(_input, exported)
    card = exported.card
    with TemporaryDirectory(dir=file.parent) as folder:
        made = Path(folder, file.name)
        for smooth in (True, False):
            graph = quantized(whole.clone(), chosen, read, smooth, **control)
            openvino.save_model(graph, str(made), compress_to_fp16=False)
            card.write(made)
            after = judge.score(load(made))
            if before - after <= settings.max_drop:
                break
        else:
            other = '' if settings.control else '--accuracy-control, or '
            raise InputError(
                f'INT8 lowers {judge.metric} from {before:.4f} to {after:.4f} on '
                f'{len(judge.files)} images, more than --max-drop {settings.max_drop:g} allows; '
                f'no file was written. Try {other}more images for --calibrate'
            )
        for part in Path(folder).iterdir():
            os.replace(part, file.with_name(part.name))
    proof = {
        'metric': judge.metric,
        'float32': before,
        'int8': after,
        'pictures': len(judge.files),
        'calibrated_on': len(chosen),
        'in_float32': in_float32(graph),
    }
    return replace(card, int8=proof)


def _input(exported: Exported, file: Path) -> np.ndarray:
    """Return what the graph takes of a picture; where windows slide, the one in the middle."""
    given = exported.parts(exported.prepare(read_image(str(file))).image[None])
    return given[len(given) // 2].repeat(exported.card.input.shape[0] or 1, axis=0)
