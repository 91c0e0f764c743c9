"""The quick configs learn from whatever pictures they are given; docs/quick.md says how far."""

import copy
import inspect
import json
import textwrap
import weakref

import cv2
import numpy as np
import pytest
import torch
from mmcv.transforms import Compose
from mmdet.models.dense_heads import RTMDetInsHead, RTMDetInsSepBNHead
from mmdet.registry import DATASETS
from mmdet.registry import MODELS as DETECTORS
from mmdet.structures import DetDataSample
from mmdet.structures.mask import BitmapMasks
from mmdet.utils import register_all_modules as register_detectors
from mmengine.config import Config
from mmengine.registry import DefaultScope
from mmengine.structures import InstanceData, PixelData
from mmseg.registry import MODELS as SEGMENTORS
from mmseg.structures import SegDataSample
from mmseg.utils import register_all_modules as register_segmentors

from tests.weights.packages import lite0_file
from vitbackbones.backbones.foreign.timm_models import Timm
from vitbackbones.configuration.names import config_files
from vitbackbones.preparing.agreement import check_normalization

pytestmark = pytest.mark.compat


def load(name):
    return Config.fromfile(config_files()[name])


@pytest.fixture
def detector():
    """Return a function that builds a detector of some classes."""
    register_detectors(init_default_scope=False)
    with DefaultScope.overwrite_default_scope('mmdet'):
        yield lambda classes, end='': built(DETECTORS, f'quick_detector{end}', classes, 'bbox_head')


@pytest.fixture
def instance(detector):
    """Return a function that builds a detector with masks of some classes."""
    return lambda classes: built(DETECTORS, 'quick_instance', classes, 'bbox_head')


@pytest.fixture
def segmentor():
    """Return a function that builds a segmentor of some classes."""
    register_segmentors(init_default_scope=False)
    with DefaultScope.overwrite_default_scope('mmseg'):
        heads = ('decode_head', 'auxiliary_head')
        yield lambda classes, end='': built(SEGMENTORS, f'quick_segmentor{end}', classes, *heads)


def built(registry, name, classes, *heads):
    config = copy.deepcopy(load(name).model)
    for head in heads:
        config[head].num_classes = classes
    model = registry.build(config)
    model.init_weights()
    return model


def require_lite0(backbone):
    """All tensors of a backbone are those of the package."""
    wanted = Timm('tf_efficientnet_lite0', pretrained=str(lite0_file()), out_indices=(2, 3, 4))
    wanted.init_weights()
    found = backbone.state_dict()
    assert backbone.out_strides == (8, 16, 32)
    assert all(torch.equal(found[key], x) for key, x in wanted.state_dict().items())


def test_the_detector_starts_from_weights_of_a_package(detector):
    model = detector(3, '_lite0')
    require_lite0(model.backbone)
    train(model, torch.randn(2, 3, 64, 96), with_boxes([(5, 5, 40, 40, 0)], [(9, 9, 50, 40, 2)]))


def test_the_segmentor_starts_from_weights_of_a_package(segmentor):
    require_lite0(segmentor(4, '_lite0').backbone)


NORMALIZATIONS = [
    ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]),  # ImageNet's
    ([127.0] * 3, [128.0] * 3),  # of the authors of EfficientNet-Lite
]


@pytest.mark.parametrize(('mean', 'std'), NORMALIZATIONS)
@pytest.mark.parametrize(
    'name', ['quick_detector_lite0', 'quick_instance_lite0', 'quick_segmentor_lite0']
)
def test_another_normalization_than_that_of_the_weights_is_warned_of(name, mean, std):
    config = load(name)
    assert check_normalization(config) == []
    config.model.data_preprocessor.update(mean=mean, std=std)
    (warning,) = check_normalization(config)
    options = 'model.data_preprocessor.mean=[127.5,127.5,127.5] model.data_preprocessor.std=[127.5'
    assert options in warning


def with_boxes(*pictures):
    """Return samples that hold these lists of (x1, y1, x2, y2, label)."""
    shapes = ('img_shape', 'pad_shape', 'ori_shape', 'batch_input_shape')
    samples = []
    for boxes in pictures:
        rows = torch.tensor(boxes, dtype=torch.float32).reshape(-1, 5)  # also where there are none
        meta = dict.fromkeys(shapes, (64, 96)) | {'scale_factor': (1.0, 1.0)}
        sample = DetDataSample(metainfo=meta)
        sample.gt_instances = InstanceData(bboxes=rows[:, :4], labels=rows[:, 4].long())
        samples.append(sample)
    return samples


def train(model, images, samples):
    """Take two steps on one batch, all of the backbone learning from it, and return the losses."""
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    losses = []
    for _ in range(2):
        loss, _ = model.parse_losses(model.loss(images, copy.deepcopy(samples)))  # changes masks
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    assert all(weight.isfinite().all() for weight in model.parameters())
    assert all(weight.grad.count_nonzero() for weight in model.backbone.parameters())
    return losses


@pytest.mark.parametrize('classes', [1, 80])
def test_the_detector_learns_any_number_of_classes(detector, classes):
    model = detector(classes)
    boxes = [(5, 5, 40, 40, 0), (50, 10, 70, 60, classes - 1)]
    train(model, torch.randn(2, 3, 64, 96), with_boxes(boxes, boxes[:1]))
    assert {level.out_channels for level in model.bbox_head.rtm_cls} == {classes}


def test_the_detector_learns_from_images_without_objects(detector):
    """Alone and beside others: what is no object is in them, too."""
    model = detector(2)
    images = torch.randn(2, 3, 64, 96)
    without = with_boxes([], [])
    model.parse_losses(model.loss(images, without))[0].backward()
    assert all(weight.grad.isfinite().all() for weight in model.bbox_head.rtm_cls.parameters())
    train(model, images, with_boxes([], [(5, 5, 40, 40, 1)]))


def with_masks(*pictures):
    """Return samples as :func:`with_boxes` does, whose masks are the boxes."""
    samples = with_boxes(*pictures)
    for sample in samples:
        masks = np.zeros((len(sample.gt_instances), 64, 96), np.uint8)
        for mask, (x1, y1, x2, y2) in zip(masks, sample.gt_instances.bboxes.int(), strict=True):
            mask[y1:y2, x1:x2] = 1
        sample.gt_instances.masks = BitmapMasks(masks, 64, 96)
    return samples


@pytest.mark.parametrize('classes', [1, 80])
def test_masks_of_any_number_of_classes_are_learned(instance, classes):
    model = instance(classes)
    boxes = [(5, 5, 40, 40, 0), (50, 10, 70, 60, classes - 1)]
    train(model, torch.randn(2, 3, 64, 96), with_masks(boxes, []))
    without = with_masks([], [])
    model.parse_losses(model.loss(torch.randn(2, 3, 64, 96), without))[0].backward()
    assert all(weight.grad.isfinite().all() for weight in model.bbox_head.rtm_cls.parameters())


@pytest.fixture
def mended(monkeypatch):
    """mmdet's head, without the fault of mmdet 3.3: it exchanges the factors of height and width.

    See https://github.com/open-mmlab/mmdetection/issues/11230; onedl-mmdetection has it mended.
    """
    source = textwrap.dedent(inspect.getsource(RTMDetInsHead._bbox_mask_post_process))
    for side, wrong, right in ((2, 0, 1), (1, 1, 0)):
        side = f'shape[-{side}] * scale_factor'
        source = source.replace(f'{side}[{wrong}]', f'{side}[{right}]')
    namespace = {**vars(inspect.getmodule(RTMDetInsHead))}
    exec(source, namespace)
    name = '_bbox_mask_post_process'
    monkeypatch.setattr(RTMDetInsHead, name, namespace[name])
    return RTMDetInsSepBNHead


@pytest.mark.parametrize('size', [(2048, 1224), (333, 500), (97, 1201), (319, 321), (17, 640)])
def test_masks_are_those_of_mmdet_and_have_the_size_of_their_image(instance, mended, size):
    model = instance(2).eval()
    height, width = size
    ratio = min(320 / max(size), 320 / min(size))
    seen = int(height * ratio + 0.5), int(width * ratio + 0.5)
    meta = {'img_shape': seen, 'ori_shape': size}
    meta['scale_factor'] = (seen[1] / width, seen[0] / height)
    model.bbox_head.test_cfg.update(score_thr=0.0, max_per_img=2)
    image = torch.randint(0, 255, (3, *seen)).byte()
    found = []
    for head in (type(model.bbox_head), mended):
        model.bbox_head.__class__ = head
        data = {'inputs': [image], 'data_samples': [DetDataSample(metainfo=dict(meta))]}
        with torch.no_grad():
            found.append(model.test_step(data)[0].pred_instances)
    ours, theirs = found
    assert ours.masks.shape == (2, *size)
    assert torch.equal(ours.masks, theirs.masks)
    assert torch.equal(ours.bboxes, theirs.bboxes)


def test_one_mask_at_a_time_is_enlarged(instance, monkeypatch):
    """In float32, those of all objects of a photo would take ten gigabytes."""
    head = instance(2).eval().bbox_head
    made = []

    def enlarged(*arguments):
        assert not any(each() is not None for each in made)
        result = type(head)._enlarged(head, *arguments)
        made.append(weakref.ref(result))
        return result

    monkeypatch.setattr(head, '_enlarged', enlarged)
    head.test_cfg.update(score_thr=0.0, max_per_img=5)
    meta = {'img_shape': (64, 96), 'ori_shape': (128, 192), 'scale_factor': (0.5, 0.5)}
    maps = [torch.randn(1, 64, 64 // stride, 96 // stride) for stride in (8, 16, 32)]
    with torch.no_grad():
        (found,) = head.predict(maps, [DetDataSample(metainfo=meta)], rescale=True)
    assert found.masks.shape == (5, 128, 192)
    assert len(made) == 5


POLYGON = [[100.0, 50.0, 380.0, 50.0, 380.0, 350.0, 340.0, 350.0, 340.0, 90.0, 100.0, 90.0]]
LINE = [[200.0, 200.0, 300.0, 200.0, 250.0, 200.0]]  # without a pixel


def test_boxes_are_fitted_to_what_a_crop_leaves_of_masks(detector, tmp_path):
    cv2.imwrite(str(tmp_path / 'a.png'), np.zeros((400, 400, 3), np.uint8))
    rle = {'size': [400, 400], 'counts': [120_010, *[90, 310] * 30, 27_990]}  # 30 columns
    steps = load('quick_instance').train_dataloader.dataset.pipeline
    steps[2].ratio_range = (1.25, 1.25)  # so that all are cut
    pipeline = Compose(steps)
    kinds = set()
    for seed in range(8):
        np.random.seed(seed)
        found = [
            {'mask': mask, 'bbox': box, 'bbox_label': i, 'ignore_flag': 0}
            for i, (mask, box) in enumerate(
                [
                    (POLYGON, [100, 50, 380, 350]),
                    (rle, [300, 10, 330, 100]),
                    (LINE, [200, 190, 300, 210]),
                ]
            )
        ]
        sample = pipeline({'img_path': str(tmp_path / 'a.png'), 'instances': found, 'img_id': 0})
        objects = sample['data_samples'].gt_instances
        kinds |= {*objects.labels.tolist()}
        assert torch.equal(objects.bboxes.tensor, objects.masks.get_bboxes('hbox').tensor)
        assert (objects.masks.areas > 0).all()
    assert kinds == {0, 1}


@pytest.mark.parametrize('classes', [2, 80])
def test_the_segmentor_learns_any_number_of_classes(segmentor, classes):
    model = segmentor(classes)
    masks = torch.zeros(2, 1, 64, 96, dtype=torch.long)
    masks[:, :, 20:, 30:] = classes - 1
    masks[0, :, :5] = 255  # ignored
    samples = [SegDataSample(gt_sem_seg=PixelData(data=mask)) for mask in masks]
    losses = train(model, torch.randn(2, 3, 64, 96), samples)
    assert losses[-1] < losses[0]


def test_the_segmentor_pads_a_picture_to_whole_cells_and_cuts_its_answer(segmentor):
    """Cells of the coarsest map hang over most borders; none of them is squeezed into the image."""
    model = segmentor(3).eval()
    sample = SegDataSample(metainfo={'img_shape': (70, 90), 'ori_shape': (70, 90)})
    data = {'inputs': [torch.randint(0, 255, (3, 70, 90)).byte()], 'data_samples': [sample]}
    padded = model.data_preprocessor(copy.deepcopy(data))['inputs']
    assert padded.shape == (1, 3, 96, 96)
    with torch.no_grad():
        logits = model.encode_decode(padded, [{'img_shape': (96, 96)}])
        (answer,) = model.test_step(data)
    assert torch.equal(answer.seg_logits.data, logits[0, :, :70, :90])


def test_copy_paste_adds_objects_of_other_pictures(detector, tmp_path):
    config = load('quick_instance_copy_paste')
    images, anns = [], []
    for number in (0, 1):
        cv2.imwrite(str(tmp_path / f'{number}.png'), np.full((300, 400, 3), 100 * number, np.uint8))
        images.append({'id': number, 'file_name': f'{number}.png', 'width': 400, 'height': 300})
        left = 60 + 150 * number  # objects do not cover each other
        polygon = [left, 100, left + 80, 100, left + 80, 200, left, 200]
        box = [left, 100, 80, 100]
        ann = {'id': number, 'image_id': number, 'category_id': number + 1, 'iscrowd': 0}
        anns.append(ann | {'bbox': box, 'area': 8000, 'segmentation': [polygon]})
    categories = [{'id': number + 1, 'name': name} for number, name in enumerate('ab')]
    content = {'images': images, 'annotations': anns, 'categories': categories}
    (tmp_path / 'train.json').write_text(json.dumps(content))
    wrapped = config.train_dataloader.dataset
    wrapped.dataset.update(data_root=str(tmp_path), ann_file='train.json')
    wrapped.dataset.update(data_prefix={'img': ''}, metainfo={'classes': ('a', 'b')})
    np.random.seed(0)
    dataset = DATASETS.build(wrapped)
    samples = [dataset[number % 2] for number in range(12)]
    counts = {len(sample['data_samples'].gt_instances) for sample in samples}
    assert counts == {1, 2}
    for sample in samples:
        assert sample['inputs'].shape == (3, 320, 320)
        objects = sample['data_samples'].gt_instances
        assert torch.equal(objects.bboxes.tensor, objects.masks.get_bboxes('hbox').tensor)
