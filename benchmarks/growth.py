"""How the stages before and after a run grow with the number of pictures of a COCO set.

    python -m benchmarks.growth --pictures 10000 40000 160000 --out growth.csv

The annotations are drawn: 7.27 objects a picture as in train2017, each a polygon of 6 to 40 points,
one of a hundred a crowd in RLE. Each number of pictures has a process of its own. Seconds are of
processor time; memory is the peak of the process behind a stage. A power c * n**e is fitted to the
seconds of a stage; ``exponent`` is e. A tenth of the pictures is evaluated, as COCO's evaluation
keeps a list for each picture and class.
"""

import gc
import json
import resource
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vitbackbones.commands.cli import count

from .command import start
from .scale import fit_power

EACH = 7.27  # objects of a picture
CLASSES = 80
FORMS = 1000  # different objects
HEIGHT, WIDTH = 480, 640


class Measured(NamedTuple):
    """A stage, its seconds of processor time, and the MiB that the process had by its end."""

    stage: str
    seconds: float
    peak: float


def write_annotations(file: Path, pictures: int) -> None:
    """Write the annotations of so many drawn pictures."""
    draw = np.random.default_rng(0)
    forms = [_form(draw, i) for i in range(FORMS)]
    total = int(pictures * EACH)
    images = draw.integers(1, pictures + 1, total).tolist()
    kinds = draw.integers(1, CLASSES + 1, total).tolist()
    sides = f'"height": {HEIGHT}, "width": {WIDTH}'
    with open(file, 'w') as opened:
        opened.write('{"images": [')
        names = (
            f'{{"id": {i}, "file_name": "{i:012}.jpg", {sides}}}' for i in range(1, pictures + 1)
        )
        opened.write(',\n'.join(names))
        opened.write('], "annotations": [')
        for i, (image, kind) in enumerate(zip(images, kinds, strict=True)):
            opened.write(',\n' * (i > 0))
            opened.write(f'{{"id": {i + 1}, "image_id": {image}, "category_id": {kind}, ')
            opened.write(forms[i % FORMS])
        categories = [{'id': i, 'name': f'class {i}'} for i in range(1, CLASSES + 1)]
        opened.write(f'], "categories": {json.dumps(categories)}}}')


def _form(draw: np.random.Generator, number: int) -> str:
    """Return box, area and mask of an object, as the end of an annotation."""
    x, y, w, h = (*draw.uniform(0, 300, 2), *draw.uniform(10, 150, 2))
    angles = np.linspace(0, 2 * np.pi, draw.integers(6, 41), endpoint=False)
    corners = np.stack([x + w / 2 * (1 + np.cos(angles)), y + h / 2 * (1 + np.sin(angles))], axis=1)
    mask: list | dict = [corners.round(2).ravel().tolist()]
    crowd = int(number % 100 == 0)
    if crowd:
        runs = draw.integers(1, HEIGHT, 400).tolist()
        mask = {'size': [HEIGHT, WIDTH], 'counts': [*runs, HEIGHT * WIDTH - sum(runs)]}
    box = [round(float(value), 2) for value in (x, y, w, h)]
    form = {'bbox': box, 'area': w * h / 2, 'iscrowd': crowd, 'segmentation': mask}
    return json.dumps(form)[1:]


def stages(file: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the stages, each with what computes it; what they need of earlier ones is kept."""
    from mmdet.evaluation import CocoMetric  # noqa: F401 (here, as importing takes a second)

    from vitbackbones.data.checks.coco import _check_boxes
    from vitbackbones.data.checks.coco_file import check_references, read_coco
    from vitbackbones.data.checks.segmentations import check_masks, outlines
    from vitbackbones.inference.writers import ObjectWriter

    kept = {}

    def read() -> None:
        kept['tables'] = read_coco(str(file), outlines)

    def references() -> None:
        images, annotations, categories = kept['tables']
        for key, known in (('image_id', images['id']), ('category_id', categories['id'])):
            check_references(str(file), annotations, key, known)

    def boxes() -> None:
        images, annotations, _ = kept['tables']
        kept['boxes'] = _check_boxes(str(file), images, annotations)

    def masks() -> None:
        images, annotations, _ = kept['tables']
        _, usable = kept['boxes']
        check_masks(str(file), images, annotations, usable, evaluated=True)

    yield 'read', read
    yield 'references', references
    yield 'boxes', boxes
    yield 'masks', masks
    _, annotations, _ = kept.pop('tables')
    records = _predictions(annotations)  # between two stages: not measured
    writer = ObjectWriter(file.parent, {'classes': [str(i) for i in range(CLASSES)]}, 0.3)
    yield 'predictions.json', lambda: writer.write(records)
    yield 'evaluation', lambda: evaluate(file.with_name('tenth.json'))


def _predictions(annotations: dict) -> list[dict]:
    """Return the annotations as what ``predict`` records of each picture."""
    records = {}
    names = ('image_id', 'category_id', 'bbox')
    columns = zip(*(annotations[name] for name in names), strict=True)
    for image, kind, box in columns:
        sides = {'width': WIDTH, 'height': HEIGHT}
        record = records.setdefault(image, {'file_name': f'{image}.jpg', **sides, 'objects': []})
        record['objects'].append({'category_id': kind, 'bbox': box.tolist(), 'score': 0.5})
    return [*records.values()]


def evaluate(file: Path) -> None:
    """Evaluate the boxes of the annotations as predictions, as mmdet's ``CocoMetric`` does."""
    from mmdet.datasets.api_wrappers import COCO
    from mmdet.evaluation.metrics import coco_metric

    with redirect_stdout(StringIO()):
        truth = COCO(str(file))
        keys = ('image_id', 'category_id', 'bbox')
        found = [{key: ann[key] for key in keys} | {'score': 0.5} for ann in truth.anns.values()]
        evaluation = coco_metric.COCOeval(truth, truth.loadRes(found), 'bbox')
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()


def measure(pictures: int) -> list[Measured]:
    """Measure all stages for so many pictures."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'instances.json')
        write_annotations(file, pictures)
        write_annotations(file.with_name('tenth.json'), max(pictures // 10, 2))
        found = []
        for stage, compute in stages(file):
            gc.collect()
            begin = time.process_time()
            compute()
            seconds = time.process_time() - begin
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            found.append(Measured(stage, seconds, peak))
    return found


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every stage and number of pictures."""
    measured = []
    for pictures in options.pictures:
        with ProcessPoolExecutor(1, mp_context=get_context('spawn')) as pool:
            measured.append(pool.submit(measure, pictures).result())
    for of_stage in zip(*measured, strict=True):
        seconds = [max(each.seconds, 1e-4) for each in of_stage]
        exponent, _ = fit_power(options.pictures, seconds)
        for pictures, each in zip(options.pictures, of_stage, strict=True):
            row = {'stage': each.stage, 'pictures': pictures, 'seconds': round(each.seconds, 2)}
            yield row | {'peak_MiB': round(each.peak), 'exponent': round(exponent, 2)}


def add_pictures(add) -> None:
    """Add the numbers of pictures."""
    add('--pictures', nargs='+', type=count, default=[10_000, 40_000, 160_000], metavar='N')


if __name__ == '__main__':
    start(__doc__, rows, add_pictures)
