"""``vitbackbones serve``: serve predictions over HTTP, with a page to try the model.

options:
  checkpoint    a file of weights, a work dir (uses the latest checkpoint), or WORK_DIR/best; not
                required for an exported file, or if the package includes weights
  --host        address to listen on (default: 127.0.0.1, which only this machine can reach)
  --port        port to listen on; 0 for any free one (default: 8000)
  --token-file  require the token in this file (Authorization: Bearer TOKEN)
  --batch-size  predict up to N waiting images at a time (default: 8)
  --max-bytes   reject larger requests with status 413 (default: 20000000)
  --max-pixels  reject images with more pixels with status 413 (default: 50000000)
  --queue       reject requests with status 429 while N others are in progress (default: 64)
  --seconds     reject a request with status 503 if it takes longer (default: 30)

examples:
  %(prog)s detr_aug_vit_s_shapes  # then open http://127.0.0.1:8000
  %(prog)s model.xml --port 9000 --batch-size 4
  curl --data-binary @photo.jpg 'http://127.0.0.1:8000/predict'
  curl --form file=@photo.jpg 'http://127.0.0.1:8000/predict?format=coco&masks=polygons'

POST /predict returns what predict writes for an image. /health, /metrics (Prometheus) and
/openapi.json describe the server. The server writes no files. See docs/serving.md.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..errors import InputError, printable
from ..inference.open import find_model, own_run_hints
from ..inference.request import ModelRequest
from ..inference.tiles import Tiling, in_tiles
from ..runtime.card import Threshold
from ..runtime.runtimes import BY_SUFFIX
from ..serving.app import listen, make_app, run
from ..serving.service import Limits, Service
from ..utils.messages import show_warnings
from ..utils.process_settings import keep_freed_memory
from ..utils.rules import whole
from .cli import HELP, add_shared, count, fitting, score_or_file
from .cli import size as seconds

LOOPBACK = ('127.', 'localhost', '::1')


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    config = f'{HELP["config"]}, or an exported file ({", ".join(BY_SUFFIX)})'
    add('config', metavar='CONFIG', help=config)
    add('checkpoint', metavar='CHECKPOINT', nargs='?')
    add('--host', default='127.0.0.1')
    add('--port', type=fitting(whole(0, 65535)), default=8000)
    add('--token-file', metavar='FILE')
    add('--batch-size', type=count, default=8, metavar='N')
    add('--max-bytes', type=count, default=20_000_000, metavar='N')
    add('--max-pixels', type=count, default=50_000_000, metavar='N')
    add('--queue', type=count, default=64, metavar='N')
    add('--seconds', type=seconds, default=30.0, metavar='S')
    add_shared(add, '--size', '--device', '--runtime', '--precision')
    add_shared(add, '--tiles', '--overlap', '--merge')
    add('--score-threshold', type=score_or_file, metavar='S', help=HELP['--score-threshold'])
    add_shared(add, '--trusted', '--backbone', '--cfg-options')


def serve(options: Namespace) -> None:
    """Do what ``vitbackbones serve --help`` describes.

    Raises:
        InputError: something of the user's is wrong.
        KeyboardInterrupt: Ctrl-C, or another signal; requests inside were answered.
    """
    keep_freed_memory()
    token = read_token(options.token_file)
    tiling = Tiling(options.tiles, options.overlap, options.merge) if options.tiles else None
    found = find_model(ModelRequest.of(options, tiling=tiling))
    with listen(options.host, options.port) as opened:
        model = in_tiles(found.load(), found.tiling, options.batch_size)
        threshold = found.threshold or Threshold()
        if options.score_threshold is not None:
            given = options.score_threshold
            threshold = Threshold.given(given, '--score-threshold', model.meta['classes'])
        limits = Limits(options.max_bytes, options.max_pixels, options.queue, options.seconds)
        service = Service(model, found.task, options.batch_size, limits, threshold)
        host, port = opened.getsockname()[:2]
        print(printable(f'weights: {found.weights}\nruntime: {model.runtime}'))
        show_warnings(own_run_hints(found.along))
        if token is None and not options.host.startswith(LOOPBACK):
            show_warnings([f'everyone who can reach {host} can use this model; see --token-file'])
        address = f'[{host}]' if ':' in host else host
        print(f'listening on http://{address}:{port}', flush=True)
        run(make_app(service, Path(options.config).name, token), opened, options.seconds)


def read_token(file: str | None) -> str | None:
    """Return the token in a file, None without a file.

    Raises:
        InputError: there is none in it.
    """
    if file is None:
        return None
    try:
        token = Path(file).read_text(encoding='ascii').strip()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, 'strerror', None) or 'not ASCII text'
        raise InputError(f'--token-file {file}: {reason}') from error
    if not token or not token.isprintable() or ' ' in token:
        raise InputError(f'--token-file {file}: must contain one word')
    return token
