"""Do the tools of this package work on the models that people use most?

    python -m benchmarks.openmmlab_families --out docs/lab/openmmlab_families.csv
    python -m benchmarks.openmmlab_families --summary docs/lab/openmmlab_families.md

A small config of each family, as mmdet or mmseg ships it, gets the classes of Shapes, images of 128
x 96 pixels and weights that find objects of all kinds. Then each tool runs on it. It works, is
refused with a reason, or fails with a traceback. The answers of exported files on five pictures are
compared with the toolbox's own. A row that is there is not measured again.
"""

import csv
import os
import sys
import warnings
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
from mmengine.structures import BaseDataElement, InstanceData
from pycocotools.coco import COCO

import vitbackbones
from benchmarks.openmmlab_configs import MARK, folder, rows
from vitbackbones.commands.ending import run
from vitbackbones.commands.main import run_verb
from vitbackbones.configuration.classes import set_class_count
from vitbackbones.configuration.lint import dicts
from vitbackbones.data import shapes
from vitbackbones.errors import InputError
from vitbackbones.export.parity import differences, exceeded, in_words, worst_of
from vitbackbones.running.process_state import named_instances_kept
from vitbackbones.runtime.answers import Answer, Detected

SIDE = 128
HEIGHT = 96  # of a picture
PICTURES = 5
FIELDS = ('family', 'config', 'tool', 'result', 'reason')
WORKS = 'works'
REFUSED = 'refused'
FAILED = 'failed'
LONGEST = 300  # characters of a reason


class Family(NamedTuple):
    """A family of models: a config that a toolbox ships, and changes that make it small."""

    name: str
    config: str
    changes: dict = {}


R18 = {'backbone.depth': 18, 'backbone.init_cfg': None}
MAPS = {'neck.in_channels': [64, 128, 256, 512]}
FEW = {'test_cfg.rpn.max_per_img': 100, 'test_cfg.rcnn.score_thr': 0.05}
DETR = R18 | {
    'neck.in_channels': [128, 256, 512],
    'num_queries': 40,
    'test_cfg.max_per_img': 40,
    'encoder.num_layers': 1,
    'decoder.num_layers': 2,
}
QUERIES = {'decode_head.num_queries': 20, 'decode_head.in_channels': [64, 128, 256, 512]}
FAMILIES = (
    Family('Faster R-CNN', 'mmdet::faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py', R18 | MAPS | FEW),
    Family('Mask R-CNN', 'mmdet::mask_rcnn/mask-rcnn_r50_fpn_1x_coco.py', R18 | MAPS | FEW),
    Family(
        'Cascade R-CNN', 'mmdet::cascade_rcnn/cascade-rcnn_r50_fpn_1x_coco.py', R18 | MAPS | FEW
    ),
    Family(
        'Cascade Mask R-CNN',
        'mmdet::cascade_rcnn/cascade-mask-rcnn_r50_fpn_1x_coco.py',
        R18 | MAPS | FEW,
    ),
    Family('RetinaNet', 'mmdet::retinanet/retinanet_r18_fpn_1x_coco.py'),
    Family('FCOS', 'mmdet::fcos/fcos_r50-caffe_fpn_gn-head_1x_coco.py', R18 | MAPS),
    Family('ATSS', 'mmdet::atss/atss_r50_fpn_1x_coco.py', R18 | MAPS),
    Family(
        'YOLOX',
        'mmdet::yolox/yolox_nano_8xb8-300e_coco.py',
        {'test_cfg.max_per_img': 400, 'test_cfg.score_thr': 1e-5},
    ),
    Family('RTMDet', 'mmdet::rtmdet/rtmdet_tiny_8xb32-300e_coco.py'),
    Family('Deformable DETR', 'mmdet::deformable_detr/deformable-detr_r50_16xb2-50e_coco.py', DETR),
    Family('DINO', 'mmdet::dino/dino-4scale_r50_8xb2-12e_coco.py', DETR),
    Family('PSPNet', 'mmseg::pspnet/pspnet_r18-d8_4xb2-80k_cityscapes-512x1024.py'),
    Family(
        'DeepLabV3+', 'mmseg::deeplabv3plus/deeplabv3plus_r18-d8_4xb2-80k_cityscapes-512x1024.py'
    ),
    Family(
        'UPerNet',
        'mmseg::upernet/upernet_r18_4xb4-80k_ade20k-512x512.py',
        {'data_preprocessor.size': (512, 512)},  # which the shipped config lacks
    ),
    Family('SegFormer', 'mmseg::segformer/segformer_mit-b0_8xb2-160k_ade20k-512x512.py'),
    Family(
        'Mask2Former',
        'mmseg::mask2former/mask2former_r50_8xb2-160k_ade20k-512x512.py',
        QUERIES | R18,
    ),
)
# Parts of a model that classify and code boxes, and how widely their weights are spread here.
# Random weights would give nearly the same score everywhere.
SPREAD = {
    'retina_cls': 0.1,
    'retina_reg': 0.03,
    'atss_cls': 0.1,
    'atss_reg': 0.03,
    'conv_centerness': 0.1,
    'bbox_head.conv_cls': 0.1,
    'bbox_head.conv_reg': 0.03,
    'rpn_cls': 0.1,
    'rpn_reg': 0.03,
    'fc_cls': 0.2,
    'fc_reg': 0.05,
    'cls_branches': 0.3,
    'cls_embed': 1,
    'query_feat': 10,
    'conv_seg': 1,
    'classifier': 1,
}


# Deep networks with a batch norm after each layer: with random weights they amplify rounding so
# much that `export` refuses them. They learn Shapes for some iterations instead.
FITTED = ('YOLOX', 'RTMDet')
ITERATIONS = 120
BATCH_SIZE = 8

# ------------------------------------------------------------------------ a family


class Subject(NamedTuple):
    """Files of a family: its config, its weights, and a folder for what the tools write."""

    family: Family
    config: Path
    weights: Path
    out: Path
    data: Path
    size: str  # of the images of a graph

    @property
    def pictures(self) -> list[Path]:
        return sorted((self.data / 'pictures').glob('*.jpg'))[:PICTURES]

    @property
    def shipped(self) -> Path:
        """The config with the classes that it was shipped with."""
        return self.out / 'shipped.py'


def prepare(family: Family, data: Path, out: Path) -> Subject:
    """Write the config of a family, and weights that find something."""
    out.mkdir(parents=True, exist_ok=True)
    toolbox, _, name = family.config.partition('::')
    config = Config.fromfile(folder(toolbox) / name)
    config.merge_from_dict({f'model.{key}': value for key, value in family.changes.items()})
    if config.default_scope == 'mmseg':
        config.model.test_cfg = {'mode': 'whole'}
    config.dump(out / 'shipped.py')
    names = [*shapes.KINDS] if config.default_scope == 'mmdet' else [shapes.GROUND, *shapes.KINDS]
    set_class_count(config, len(names))
    size = f'{HEIGHT}x{SIDE}'
    for _, step in dicts(config):
        if step.get('type') == 'Resize':
            step['scale'] = (SIDE, SIDE)
        elif step.get('type') == 'Pad' and (step.get('size') or step.get('pad_to_square')):
            step.update({'size': (SIDE, SIDE)} if step.get('size') else {})
            size = f'{SIDE}x{SIDE}'
    files = Subject(family, out / 'config.py', out / 'weights.pth', out, data, size)
    config.dump(files.config)
    torch.manual_seed(3)
    with DefaultScope.overwrite_default_scope(config.default_scope):
        model = MODELS.build(config.model)
    for part in model.modules():
        part.init_cfg = None  # downloads nothing
    model.init_weights()
    if family.name in FITTED:
        fit(model, data)
    else:
        spread(model)
    meta = {'dataset_meta': {'classes': names}}
    torch.save({'meta': meta, 'state_dict': model.state_dict()}, files.weights)
    return files


@torch.no_grad()
def spread(model: torch.nn.Module) -> None:
    """Give a model weights that find objects of all kinds."""
    for key, weight in model.named_parameters():
        width = next((value for part, value in SPREAD.items() if part in key), None)
        if width and key.endswith('weight'):
            weight.normal_(0, width)
        elif width and ('cls' in key or 'obj' in key):
            weight.fill_(-1)


def fit(model: torch.nn.Module, data: Path) -> None:
    """Train a detector on the training images of Shapes."""
    pictures = labeled(data)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    model.train()
    for _ in range(ITERATIONS):
        drawn = [pictures[k] for k in torch.randperm(len(pictures))[:BATCH_SIZE]]
        batch = {
            'inputs': [picture.pixels for picture in drawn],
            'data_samples': [picture.sample for picture in drawn],
        }
        losses = model(**model.data_preprocessor(batch), mode='loss')
        loss, _ = model.parse_losses(losses)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Labeled(NamedTuple):
    """An image of shape (3, height, width) in BGR, and its objects."""

    pixels: torch.Tensor
    sample: BaseDataElement


def labeled(data: Path) -> list[Labeled]:
    """Return the training images of Shapes."""
    coco = COCO(str(data / 'annotations' / 'instances_train.json'))
    return [labeled_as(coco, image, data) for image in coco.dataset['images']]


def labeled_as(coco: COCO, image: dict, data: Path) -> Labeled:
    """Return one training image."""
    from mmdet.structures import DetDataSample  # after vitbackbones, which serves its operators

    anns = coco.imgToAnns[image['id']]
    boxes = torch.tensor([ann['bbox'] for ann in anns], dtype=torch.float32).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]
    labels = torch.tensor([coco.getCatIds().index(ann['category_id']) for ann in anns])
    pixels = cv2.imread(str(data / 'images' / 'train' / image['file_name']))
    sample = DetDataSample(
        metainfo={'img_shape': pixels.shape[:2], 'ori_shape': pixels.shape[:2]},
        gt_instances=InstanceData(bboxes=boxes, labels=labels.long()),
        ignored_instances=InstanceData(bboxes=torch.zeros(0, 4), labels=torch.zeros(0).long()),
    )
    return Labeled(torch.from_numpy(pixels).permute(2, 0, 1), sample)


# ------------------------------------------------------------------------ tools


def command(verb: str, *words: str | Path) -> str:
    """Run a command, and return what it prints.

    Raises:
        InputError: it refuses.
        RuntimeError: it fails with a traceback.
    """
    printed = StringIO()
    errors = StringIO()
    with named_instances_kept(), redirect_stdout(printed), redirect_stderr(errors):
        status = run_verb(verb, [str(word) for word in words])
    text = errors.getvalue().strip()
    if status == 2:
        raise InputError(text[text.find('error: ') :].removeprefix('error: '))
    if status:
        raise RuntimeError(text)
    return printed.getvalue()


def test_report(files: Subject) -> str:
    """Run ``test --report``."""
    report = files.out / 'report'
    command('test', files.config, files.weights, '--data-root', files.data, '--report', report)
    return ''


def predict(files: Subject) -> str:
    """Run ``predict``, which exports the model where it can."""
    out = files.out / 'predictions'
    command('predict', files.config, files.weights, *files.pictures, '--out', out, '--overwrite')
    return ''


def predict_tiles(files: Subject) -> str:
    """Run ``predict --tiles``."""
    words = ('--tiles', '96', '--out', files.out / 'tiles', '--runtime', 'torch', '--overwrite')
    command('predict', files.config, files.weights, *files.pictures, *words)
    return ''


def predict_track(files: Subject) -> str:
    """Run ``predict --track`` on a video of the pictures."""
    video = files.out / 'video.mp4'
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter_fourcc(*'mp4v'), 5, (SIDE, HEIGHT))
    for picture in files.pictures:
        writer.write(cv2.imread(str(picture)))
    writer.release()
    words = ('--track', '--out', files.out / 'track', '--runtime', 'torch', '--overwrite')
    command('predict', files.config, files.weights, video, *words)
    return ''


def export(files: Subject, to: str, suffix: str) -> str:
    """Run ``export``, and return how far its answers are from those of the toolbox."""
    file = files.out / f'model{suffix}'
    words = ('--to', to, '--size', files.size, '--out', file, '--overwrite')
    command('export', files.config, files.weights, *words)
    with vitbackbones.open_model(files.config, files.weights, runtime='torch') as model:
        wanted = model.predict(files.pictures)
    with vitbackbones.open_model(file) as model:
        found = model.predict(files.pictures)
    pairs = zip(found, wanted, strict=True)
    worst = worst_of([differences(*map(arrays, pair), (HEIGHT, SIDE)) for pair in pairs])
    if wrong := exceeded(worst):
        raise RuntimeError(f'other answers than the toolbox: {in_words(wrong)}')
    return in_words(worst) + counted(wanted)


def arrays(answer: Answer) -> dict[str, np.ndarray]:
    """Return an answer as the outputs of a graph for one image."""
    names = ('boxes', 'scores', 'labels', 'masks') if isinstance(answer, Detected) else ('labels',)
    given = {name: getattr(answer, name) for name in names}
    if 'boxes' in given:  # those of an exported file end with the picture, YOLOX's in mmdet do not
        given['boxes'] = given['boxes'].clip(0, [SIDE, HEIGHT] * 2)
    if not isinstance(answer, Detected):
        given = {'mask': given['labels']}
    return {name: np.asarray(value)[None] for name, value in given.items() if value is not None}


def counted(answers: Sequence[Answer]) -> str:
    """Say how many objects or classes were compared."""
    labels = [each.labels for each in answers]
    kinds = len(np.unique(np.concatenate([each.ravel() for each in labels])))
    objects = f'{sum(map(len, labels))} objects of ' if isinstance(answers[0], Detected) else ''
    return f' ({objects}{kinds} classes)'


def export_onnx(files: Subject) -> str:
    return export(files, 'onnx', '.onnx')


def export_openvino(files: Subject) -> str:
    return export(files, 'openvino', '.xml')


def export_int8(files: Subject) -> str:
    """Run ``export --int8``; random weights have no metric to lose."""
    words = ('--to', 'openvino', '--int8', '--size', files.size, '--max-drop', '1')
    words += ('--out', files.out / 'int8.xml', '--overwrite', '--data-root', files.data)
    printed = command('export', files.config, files.weights, *words)
    return next((line for line in printed.splitlines() if line.startswith('in INT8')), '')


def other_backbone(files: Subject, name: str) -> str:
    """Train, evaluate and resume with another backbone."""
    words = ('--scratch', '--smoke', '--work-dir', files.out / 'smoke')
    command('train', files.shipped, '--backbone', name, *words)
    return ''


def backbone_of_ours(files: Subject) -> str:
    return other_backbone(files, 'pvt_t')


def backbone_of_timm(files: Subject) -> str:
    return other_backbone(files, 'timm:resnet18')


TOOLS: dict[str, Callable[[Subject], str]] = {
    'test --report': test_report,
    'predict': predict,
    'predict --tiles': predict_tiles,
    'predict --track': predict_track,
    'export --to onnx': export_onnx,
    'export --to openvino': export_openvino,
    'export --int8': export_int8,
    '--backbone pvt_t': backbone_of_ours,
    '--backbone timm:resnet18': backbone_of_timm,
}
# ------------------------------------------------------------------------ rows


def examine(tool: str, files: Subject) -> dict[str, str]:
    """Return the row of a tool on a family."""
    row = {'family': files.family.name, 'config': files.family.config, 'tool': tool}
    try:
        reason = TOOLS[tool](files)
        result = WORKS
    except InputError as error:
        reason = str(error)
        result = REFUSED
    except Exception as error:
        reason = f'{type(error).__name__}: {error}'
        result = FAILED
        print(reason[-3000:], file=sys.stderr)
    for folder_of_run in (files.out, files.data):
        reason = reason.replace(f'{folder_of_run}/', '')
    reason = ' '.join(reason.split())
    return row | {'result': result, 'reason': reason[:LONGEST]}


def measure(options: Namespace) -> None:
    """Append the rows that are missing."""
    done = {(row['family'], row['tool']) for row in rows(options.out)}
    new = not options.out.exists()
    data = Path(shapes.write(options.work / 'shapes', train=24, val=8, size=SIDE))
    (data / 'pictures').mkdir(exist_ok=True)
    names = enumerate(['void', shapes.GROUND, *shapes.KINDS])  # the values of index masks
    (data / 'classes.txt').write_text(''.join(f'{value} {name}\n' for value, name in names))
    for picture in (data / 'images' / 'val').glob('*.jpg'):
        cv2.imwrite(str(data / 'pictures' / picture.name), cv2.imread(str(picture))[:HEIGHT])
    with open(options.out, 'a', newline='') as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
        if new:
            writer.writeheader()
        for family in FAMILIES:
            tools = [tool for tool in options.tools if (family.name, tool) not in done]
            if options.families and family.name not in options.families or not tools:
                continue
            files = prepare(family, data, options.work / family.name.replace(' ', '_'))
            for tool in tools:
                row = examine(tool, files)
                print(*row.values(), sep=' | ', flush=True)
                writer.writerow(row)
                file.flush()


def page(found: Sequence[dict[str, str]]) -> Iterator[str]:
    """Yield the lines of the tables: one of results, one of differences, one of refusals."""
    of = {(row['family'], row['tool']): row for row in found}
    names = [family.name for family in FAMILIES]
    yield f'| family | {" | ".join(f"`{tool}`" for tool in TOOLS)} |'
    yield '|---' * (len(TOOLS) + 1) + '|'
    for name in names:
        results = (of.get((name, tool), {}).get('result', '') for tool in TOOLS)
        yield f'| {name} | {" | ".join(results)} |'
    yield ''
    yield '| family | ONNX Runtime | OpenVINO |'
    yield '|---|---|---|'
    for name in names:
        files = [of.get((name, f'export --to {to}')) for to in ('onnx', 'openvino')]
        cells = [row['reason'] if row and row['result'] == WORKS else '-' for row in files]
        yield f'| {name} | {" | ".join(cells)} |'
    yield ''
    yield '| family | tool | reason |'
    yield '|---|---|---|'
    for row in found:
        if row['result'] != WORKS:
            yield f'| {row["family"]} | `{row["tool"]}` | {row["reason"].replace("|", "/")} |'


def write_summary(target: Path, found: Sequence[dict[str, str]]) -> None:
    """Write the tables below the mark of a page.

    Raises:
        InputError: the page has no mark.
    """
    before, mark, _ = target.read_text().partition(MARK)
    if not mark:
        raise InputError(f'{target}: has no line {MARK}')
    target.write_text('\n'.join([before + mark, '', *page(found), '']))


def arguments() -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('--out', type=Path, default=Path('docs/lab/openmmlab_families.csv'), help='CSV file')
    add('--work', type=Path, default=Path('work_dirs/openmmlab_families'), help='for files')
    add('--families', nargs='+', choices=[family.name for family in FAMILIES])
    add('--tools', nargs='+', choices=TOOLS, default=TOOLS)
    add('--summary', type=Path, metavar='PAGE', help='write the tables below the mark of a page')
    return parser.parse_args()


def main() -> None:
    """Measure, or write the page."""
    options = arguments()
    if options.summary:
        write_summary(options.summary, rows(options.out))
        return
    warnings.filterwarnings('ignore')
    os.environ['XDG_CACHE_HOME'] = str(options.work / 'cache')
    measure(options)


if __name__ == '__main__':
    sys.exit(run(main))
