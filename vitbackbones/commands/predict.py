"""``vitbackbones predict``: run a model on images, folders and videos.

options:
  checkpoint     a file of weights, a work dir (uses the latest checkpoint), or WORK_DIR/best; not
                 required for an exported file, or if the package includes weights
  inputs         images, folders or videos to predict
  --out          folder for the results; must be empty or new
  --resume       continue the prediction in DIR, with the same model, settings and inputs
  --overwrite    start from the beginning, even if DIR is not empty
  --amp          use half precision
  --batch-size   predict N images or tiles at a time; with auto, OpenVINO computes one image on each
                 core, which takes less time for many images (default: 1)
  --masks        format of the masks in predictions.json (default: rle)
  --no-pictures  write no visualizations, which is faster
  --ray          predict on this Ray cluster: auto, local, HOST:PORT or ray://HOST:PORT; INPUT is
                 one folder, list (.txt) or table (.parquet); INPUT and --out can be addresses such
                 as s3://BUCKET/FOLDER (see docs/clusters.md)
  --shard-size   with --ray, write N images to each file (default: 1000)
  --shards       with --ray, format of these files (default: jsonl)
  --track        follow the objects of videos: each gets a number (requires the package trackers)

examples:
  %(prog)s detr_aug_vit_s_shapes photo.jpg --out out  # weights in the package
  %(prog)s detr_aug_vit_s_shapes work_dirs/detr_aug_vit_s_shapes photos --out out
  %(prog)s quick_detector work_dirs/quick_detector photo.jpg video.mp4 --out out --amp
  %(prog)s model.onnx photos --out out  # an exported file and its metadata file
  %(prog)s quick_detector work_dirs/quick_detector scans --out out --tiles 640  # large images

The results are out/predictions.json, visualizations in out/pictures and, for segmentation, index
masks in out/masks. A panoptic model writes out/panoptic.json and out/panoptic.

If a file cannot be predicted, its name and the reason are printed, the command continues with the
other files, and the exit status is 2. Each prediction is written to out/predictions.jsonl at once,
one line per image; predictions.json is written at the end, also after Ctrl-C, SIGTERM or SIGHUP. To
continue an interrupted prediction, run the same command with --resume.
"""

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from ..data.own.folder import in_words
from ..data.sources import find_sources
from ..errors import InputError, printable
from ..inference.journal import Journal
from ..inference.on_ray import Job, predict_on_ray
from ..inference.open import WRITERS, FoundModel, find_model, own_run_hints
from ..inference.request import ModelRequest
from ..inference.run import Run, Tracking, require_trackable
from ..inference.tiles import Tiling, in_tiles
from ..runtime.card import Threshold
from ..runtime.runtimes import BY_SUFFIX
from ..utils.files import LOCK, folder_lock, prepare_folder
from ..utils.messages import show_warnings
from ..utils.process_settings import keep_freed_memory
from .cli import HELP, add_shared, count, score_or_file

BATCHES = 4  # images for each core, so that none waits for the others for long


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.usage = '%(prog)s CONFIG [CHECKPOINT] INPUT [INPUT ...] --out DIR [options]'
    add = parser.add_argument
    config = f'{HELP["config"]}, or an exported file ({", ".join(BY_SUFFIX)})'
    add('config', metavar='CONFIG', help=config)
    add('checkpoint', metavar='CHECKPOINT')
    add('inputs', nargs='*', metavar='INPUT')
    add('--out', required=True, metavar='DIR')
    used = parser.add_mutually_exclusive_group()
    used.add_argument('--resume', action='store_true')
    used.add_argument('--overwrite', action='store_true')
    add_shared(add, '--size', '--device', '--runtime', '--precision')
    faster = parser.add_mutually_exclusive_group()
    faster.add_argument('--amp', action='store_true')
    add_shared(faster.add_argument, '--fused')
    add_shared(add, '--compile')
    add('--batch-size', type=_count_or_auto, default=1, metavar='N')
    add_shared(add, '--tiles', '--overlap', '--merge')
    # with its earlier name
    threshold = f'{HELP["--score-threshold"]}; or a file of scores that test --report has written'
    add('--score-threshold', '--score-thr', type=score_or_file, metavar='S', help=threshold)
    add('--masks', choices=['rle', 'polygons'], default='rle')
    add('--no-pictures', action='store_true')
    add('--track', action='store_true')
    add('--ray', metavar='ADDRESS')
    add('--shard-size', type=count, default=1000, metavar='N')
    add('--shards', choices=['jsonl', 'parquet'], default='jsonl')
    add_shared(add, '--trusted', '--backbone', '--cfg-options')


def predict(options: Namespace) -> None:
    """Do what ``vitbackbones predict --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is computed where possible,
            and at the end if a file failed.
        KeyboardInterrupt: Ctrl-C, or another signal that ends a tool; what was answered is written.
    """
    keep_freed_memory()
    request = _request(options)
    found = find_model(request)
    if options.ray:
        print(_on_ray(options, request, found))
        return
    out = prepare_folder(options.out, '--out')
    with folder_lock(out, '--out'):
        used = any(file.name != LOCK for file in out.iterdir())
        if used and not options.resume and not options.overwrite:
            raise InputError(
                f'--out {out}: is not empty. Choose another folder, continue the prediction '
                'there with --resume, or start from the beginning with --overwrite, which '
                'replaces predictions.json and images with the same names.'
            )
        sources = find_sources(found.inputs, out)
        if options.track:
            require_trackable(found.task, sources)
        model = found.load()
        is_auto = options.batch_size == 'auto'
        batch_size = BATCHES * model.at_once if is_auto else options.batch_size
        model = in_tiles(model, found.tiling, batch_size)
        classes = model.meta.get('classes', ())
        threshold = found.threshold or Threshold()
        if options.score_threshold is not None:
            threshold = Threshold.given(options.score_threshold, '--score-threshold', classes)
        print(printable(f'weights: {found.weights} ({in_words(classes)})'))
        for hint in own_run_hints(found.along):
            print(hint)
        shown = f'; showing objects with a score of at least {threshold}'
        print(printable(f'runtime: {model.runtime}{shown * (found.task == "detection")}'))
        least = threshold.of(classes)
        writer = WRITERS[found.task](out, model.meta, least, options.masks)
        settings = found.settings | {
            'the folder of the inputs': str(sources[0].path).removesuffix(sources[0].name),
            '--score-threshold': threshold.score,
        }
        settings |= _given(options, 'masks', 'batch_size', 'no_pictures', 'track', 'precision')
        journal = Journal(out, settings, options.resume)
        tracking = Tracking(least) if options.track else None
        drawn = not options.no_pictures
        run = Run(model, writer, journal, batch_size, drawn, tracking)
        names = run.all(sources)
    done = len(sources) - len(run.failed)
    pictures = '' if options.no_pictures else ' and pictures'
    print(f'{done} of {len(sources)} files: {", ".join(names)}{pictures} in {out}')
    if writer.drawn == 0:
        show_warnings(
            [
                f'no object has a score of at least {threshold}, so none is drawn. Lower '
                '--score-threshold, or train longer'
            ]
        )
    if tracking and not any(name.endswith('.txt') for name in names):
        show_warnings(['--track: no object was found in two frames in a row, so there is no track'])
    if run.failed:
        raise InputError(f'{len(run.failed)} of {len(sources)} files failed, see above')


def _on_ray(options: Namespace, request: ModelRequest, found: FoundModel) -> str:
    """Predict on a cluster; return what was done in words."""
    if options.track:
        raise InputError('--ray: --track is not supported; remove it')
    if options.batch_size == 'auto':
        raise InputError('--ray: requires a number for --batch-size, not auto')
    if len(found.inputs) != 1:
        raise InputError(f'--ray: requires one INPUT, not {len(found.inputs)}; write a list (.txt)')
    job = Job(
        request=request,
        folder=os.getcwd(),
        out=options.out,
        suffix=f'.{options.shards}',
        batch_size=options.batch_size,
        masks=options.masks,
    )
    settings = found.settings | {'INPUT': found.inputs[0]}
    settings |= _given(options, 'masks', 'batch_size', 'precision', 'shard_size', 'shards')
    return predict_on_ray(
        job,
        found.inputs[0],
        options.shard_size,
        options.ray,
        settings,
        resume=options.resume,
        overwrite=options.overwrite,
    )


def _given(options: Namespace, *names: str) -> dict[str, Any]:
    """Return what options are, by their names on the command line."""
    return {f'--{name.replace("_", "-")}': getattr(options, name) for name in names}


def _request(options: Namespace) -> ModelRequest:
    tiling = Tiling(options.tiles, options.overlap, options.merge) if options.tiles else None
    inputs = (options.checkpoint, *options.inputs)  # the first may be none: only the config tells
    streams = options.batch_size == 'auto'
    return ModelRequest.of(options, checkpoint=None, inputs=inputs, tiling=tiling, streams=streams)


def _count_or_auto(text: str) -> int | str:
    """Read a number of images, or ``auto``, as an argument's ``type``."""
    return text if text == 'auto' else count(text)
