"""Files of ``vitbackbones export --int8`` beside those in float32: time, size, and what they cost.

    python -m benchmarks.int8 detr.xml detr8.xml setr.xml setr8.xml --repeats 60 --out int8.csv

Given are pairs, each the file in float32 and the one in 8 bits of one model. All files take turns
in one run, one image each; metrics are those on the card.
"""

import time
from argparse import Namespace
from collections.abc import Iterator

import numpy as np

from vitbackbones.runtime import load
from vitbackbones.runtime.card import parts

from .command import start


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every pair of files."""
    files = [load(file, threads=1) for file in options.files]
    draw = np.random.default_rng(0)
    images = [
        draw.standard_normal([side or 1 for side in file.card.input.shape]).astype(np.float32)
        for file in files
    ]
    times = [[] for _ in files]
    for turn in range(options.warm_up + options.repeats):
        for file, image, taken in zip(files, images, times, strict=True):
            file.run(image)  # what ran before has filled the caches
            begin = time.perf_counter()
            file.run(image)
            if turn >= options.warm_up:
                taken.append(1e3 * (time.perf_counter() - begin))
    medians = [round(float(np.median(each)), 2) for each in times]
    sizes = [round(sum(p.stat().st_size for p in parts(f.file)) / 1e6, 1) for f in files]
    for i in range(0, len(files), 2):
        proof = files[i + 1].card.int8
        yield {
            'model': files[i].card.name,
            'metric': proof['metric'],
            'pictures': proof['pictures'],
            'float32': round(proof['float32'], 4),
            'int8': round(proof['int8'], 4),
            'megabytes': f'{sizes[i]} to {sizes[i + 1]}',
            'milliseconds': f'{medians[i]} to {medians[i + 1]}',
            'ratio': round(medians[i + 1] / medians[i], 2),
        }


def add_files(add) -> None:
    """Add the files."""
    add('files', nargs='+', metavar='FILE', help='pairs: in float32, in 8 bits')


if __name__ == '__main__':
    start(__doc__, rows, add_files)
