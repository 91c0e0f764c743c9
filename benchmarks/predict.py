"""From files to answers and pictures, beside mmdet's and mmseg's inferencers with the same weights.

All decode, answer, draw and write one picture after another; floors only decode and answer. per_s
are pictures a second, per_core those a second of processor time, ratio the processor time in units
of the inferencer's. The start is left out: imports, the making of the model and of its graphs, for
which warming up does. Pictures are those of Shapes, enlarged; OMP_NUM_THREADS=1 keeps torch to one
thread.
"""

import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import cv2

from vitbackbones.data.shapes.writing import write
from vitbackbones.data.sources import find_sources, read_frames
from vitbackbones.errors import InputError
from vitbackbones.inference import graphs
from vitbackbones.inference.journal import Journal
from vitbackbones.inference.open import WRITERS, find_model
from vitbackbones.inference.request import ModelRequest
from vitbackbones.inference.run import Model, Run
from vitbackbones.inference.writers import PredictionWriter

from .command import Add, add_models, start

MODELS = ('detr_aug_vit_s_shapes', 'quick_detector', 'setr_mla_msf_vit_ti_shapes')
SIZES = ((128, 128), (640, 480), (1333, 800))  # width and height of the files
Go = Callable[[Path, Path], object]  # answers a folder of pictures, writes to another


def forms(name: str) -> dict[str, Go]:
    """Return what answers pictures, by name."""
    graphs.WORTH = 0  # else torch answers the first seconds of a size, in all that is timed here
    from mmdet.apis import DetInferencer  # behind vitbackbones, which mends the toolboxes
    from mmseg.apis import MMSegInferencer

    is_detector = not name.startswith('setr')
    inferencer = (DetInferencer if is_detector else MMSegInferencer)(name, device='cpu')
    inferencer.show_progress = False
    more = {'no_save_pred': False} if is_detector else {}

    def theirs(pictures: Path, out: Path) -> None:
        inferencer(str(pictures), out_dir=str(out), **more)

    found = {type(inferencer).__name__: theirs}
    for runtime in ('torch', 'auto'):
        ours = find_model(ModelRequest(config=name, runtime=runtime))
        model = ours.load()
        found |= {runtime: _whole(model, WRITERS[ours.task]), f'{runtime} floor': _floor(model)}
    return found


def _whole(model: Model, writer: Callable[..., PredictionWriter]) -> Go:
    def go(pictures: Path, out: Path) -> None:
        journal = Journal(out, {}, resume=False)
        Run(model, writer(out, model.meta, 0.3, 'rle'), journal, 1).all(
            find_sources([pictures], out)
        )

    return go


def _floor(model: Model) -> Go:
    def go(pictures: Path, out: Path) -> None:
        for source in find_sources([pictures], out):
            for frame in read_frames(source):
                model.answer([model.prepare(frame)])

    return go


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every model, size and form."""
    with tempfile.TemporaryDirectory() as folder:
        shapes = Path(folder, 'shapes')
        write(shapes, train=1, val=options.images)
        for name in options.models or MODELS:
            if name not in MODELS:
                raise InputError(f'{name}: not in the suite; it has {", ".join(MODELS)}')
            found = forms(name)
            for size in SIZES:
                pictures = Path(folder, '{}x{}'.format(*size))
                pictures.mkdir(exist_ok=True)
                for file in sorted((shapes / 'images/val').iterdir()):
                    enlarged = cv2.resize(cv2.imread(str(file)), size)
                    cv2.imwrite(str(pictures / file.name), enlarged)
                for row in _timed(found, pictures, options):
                    yield {'model': name, 'size': pictures.name} | row


def _timed(found: dict[str, Go], pictures: Path, options: Namespace) -> Iterator[dict]:
    wall: dict[str, list[float]] = {form: [] for form in found}
    processor: dict[str, list[float]] = {form: [] for form in found}
    for _ in range(options.warm_up + options.repeats):
        for form, go in found.items():
            with tempfile.TemporaryDirectory() as out:
                begin, begin_processor = time.perf_counter(), time.process_time()
                go(pictures, Path(out))
                wall[form].append(time.perf_counter() - begin)
                processor[form].append(time.process_time() - begin_processor)
    unit = None
    for form in found:
        seconds, spent = (median(each[form][options.warm_up :]) for each in (wall, processor))
        unit = unit or spent
        rates = {'per_s': options.images / seconds, 'per_core': options.images / spent}
        yield {'form': form, 'ratio': round(spent / unit, 3)} | {
            key: round(value, 1) for key, value in rates.items()
        }


def add_images(add: Add) -> None:
    add('--images', type=int, default=40, metavar='N', help='pictures of a size (default: 40)')


if __name__ == '__main__':
    start(__doc__, rows, add_models, add_images)
