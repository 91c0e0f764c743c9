"""``vitbackbones export``: write a model as a file for ONNX Runtime, OpenVINO or torch.

options:
  config              name of a config, a config file, or name of a model (list them with
                      'vitbackbones models')
  checkpoint          a file of weights, a work dir (uses the latest checkpoint), or WORK_DIR/best
                      (default: weights in the package; for a model by name, the published weights)
  --untrained         use random weights, to test whether a model can be exported
  --to                write a file in this format
  --out               write to this file (default: CONFIG with the suffix of the format)
  --overwrite         replace an existing file with its weights and metadata file
  --dynamic           accept any number of images (batch), any image size (size), or both
                      (batch,size)
  --size              use this image size (default: the size in testing)
  --batch-size        predict N images at once, unless the batch is dynamic (default: 1)
  --preprocess        include normalization in the graph: the input is RGB images (N, H, W, 3) in
                      uint8
  --output            for segmentors: output the logits of all classes, or only the best class of
                      each pixel (default: logits)
  --images            also compare the outputs on these images or folders, in addition to random
                      images
  --precision         for --to openvino: write the file for this precision, if the metric drops by
                      at most --max-drop; auto: bf16 if the metric allows it, otherwise f32
                      (default: f32)
  --int8              quantize to INT8, as --precision int8
  --calibrate         calibrate on these training images or folders (default: the training set)
  --max-drop          reject a file if AP, mIoU or top-1 drops by more than X, from 0 to 1
                      (default: 0.01 for int8, 0.005 for bf16)
  --accuracy-control  keep layers in float32 until the metric drops by at most --max-drop, in at
                      most 20 evaluations

examples:
  %(prog)s detr_aug_vit_s_shapes --to onnx  # weights in the package
  %(prog)s quick_detector work_dirs/quick_detector --to openvino --dynamic batch,size
  %(prog)s detr_aug_vit_s_shapes --to openvino --int8 --data-root data/shapes
  %(prog)s detr_aug_vit_s_shapes --to openvino --precision bf16 --data-root data/shapes
  %(prog)s deit_s --to onnx --dynamic batch --preprocess  # a model by name

The results are NAME.onnx (or .xml and .bin, or .pt2) and its metadata file NAME.onnx.json. The
metadata file states how to prepare images, what the outputs mean, and how far they differ from
those of the model. A file whose outputs differ by more than 1e-4 is rejected.
"""

from argparse import ArgumentParser, ArgumentTypeError

from ...runtime.runtimes import DYNAMIC, FORMATS
from ...utils.rules import PRECISIONS
from ..cli import FILE_OPTIONS, add_shared, count, image_size, score


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add('config', metavar='CONFIG')
    add('checkpoint', metavar='CHECKPOINT', nargs='?')
    add('--untrained', action='store_true')
    add('--to', choices=FORMATS, required=True)
    add('--out', metavar='FILE')
    add('--overwrite', action='store_true')
    add('--dynamic', type=_dynamic, default=(), metavar='WHAT')
    add('--size', type=image_size, metavar='HxW')
    add('--batch-size', type=count, default=1, metavar='N')
    add('--preprocess', action='store_true')
    add('--output', choices=('logits', 'mask'), default='logits')
    add('--images', nargs='+', default=[], metavar='INPUT')
    add_shared(add, '--backbone', '--cfg-options')
    other = parser.add_argument_group(
        'other precisions, evaluated on the test set of the config, or on --images'
    )
    add = other.add_argument
    add('--precision', choices=PRECISIONS, default='f32')
    add('--int8', action='store_const', const='int8', dest='precision')
    add('--calibrate', nargs='+', default=[], metavar='INPUT')
    add('--max-drop', type=score, metavar='X')
    add('--accuracy-control', action='store_true')
    add_shared(add, '--data-root', *FILE_OPTIONS)


def _dynamic(text: str) -> tuple[str, ...]:
    words = tuple(text.split(','))
    if unknown := [word for word in words if word not in DYNAMIC]:
        raise ArgumentTypeError(f'{unknown[0]!r} is not one of {", ".join(DYNAMIC)}')
    return words
