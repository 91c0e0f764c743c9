"""What ``predict`` writes of masks and panoptic segments, in COCO's formats."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from mmengine.structures import InstanceData
from PIL import Image
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from vitbackbones.data.loading.coco_masks import to_ids
from vitbackbones.data.shapes.writing import KINDS, write
from vitbackbones.data.sources import Frame, Source
from vitbackbones.inference.writers import ObjectWriter
from vitbackbones.openmmlab.samples import to_answer
from vitbackbones.runtime.answers import Detected

from .pictures import HEIGHT, WIDTH

pytestmark = pytest.mark.compat


def sample(masks, labels, scores):
    """A prediction of mmdet with these masks (N, H, W)."""
    from mmdet.structures import DetDataSample
    from mmdet.structures.mask import mask2bbox

    masks = torch.from_numpy(np.stack(masks))
    found = {'labels': torch.tensor(labels), 'scores': torch.tensor(scores), 'masks': masks}
    return DetDataSample(pred_instances=InstanceData(bboxes=mask2bbox(masks), **found))


def nearly_right(coco, image):
    """The annotated masks of an image, some of them moved or of another class."""
    random = np.random.default_rng(image)
    found = [(coco.annToMask(a), a['category_id'] - 1) for a in coco.imgToAnns[image]]
    masks = [np.roll(mask, random.integers(0, 4), 1).astype(bool) for mask, _ in found]
    labels = [(label + (random.random() < 0.2)) % 3 for _, label in found]
    return sample(masks, labels, random.random(len(masks)).astype(np.float32))


def frame(name, size):
    return Frame(Source(Path(name), name), np.zeros((*size, 3), np.uint8))


@pytest.mark.parametrize('form', ['rle', 'polygons'])
def test_masks_have_the_ap_that_the_tester_measures(tmp_path, form):
    from mmdet.evaluation import CocoMetric

    root = write(tmp_path / 'shapes', train=1, val=12, size=64)
    file = str(root / 'annotations' / 'instances_val.json')
    coco, metric = COCO(file), CocoMetric(file, metric='segm', classwise=False)
    metric.dataset_meta = {'classes': KINDS}
    writer = ObjectWriter(tmp_path, {'classes': KINDS}, 0.3, form)
    records = []
    for image in coco.imgs:
        found = nearly_right(coco, image)
        records.append(writer.record(frame(f'{image}.jpg', (64, 64)), to_answer(found)))
        about = {'img_id': image, 'ori_shape': (64, 64)}
        metric.process({}, [about | {'pred_instances': found.pred_instances}])
    writer.write(records)
    evaluation = COCOeval(coco, coco.loadRes(str(tmp_path / 'predictions.json')), 'segm')
    evaluation.evaluate()
    evaluation.accumulate()
    evaluation.summarize()
    measured = metric.compute_metrics(metric.results)['segm_mAP']
    assert 0.1 < measured < 0.9
    assert round(evaluation.stats[0], 3) == measured  # mmdet rounds to three places


def test_nothing_found(tmp_path):
    writer = ObjectWriter(tmp_path, {'classes': KINDS}, 0.3)
    boxes, masks = np.zeros((0, 4), np.float32), np.zeros((0, 5, 6), bool)
    nothing = Detected(boxes, np.zeros(0, np.float32), np.zeros(0, int), masks)
    empty = writer.record(frame('a.jpg', (5, 6)), nothing)
    void = replace(nothing, segments=np.full((5, 6), 3))
    bare = writer.record(frame('a.jpg', (5, 6)), void)
    writer.write([empty, bare])
    assert json.loads((tmp_path / 'predictions.json').read_text()) == []
    (entry,) = json.loads((tmp_path / 'panoptic.json').read_text())['annotations']
    assert (entry['image_id'], entry['segments_info']) == (2, [])
    bare.pop('objects')
    assert writer.write([bare]) == ['images.json', 'panoptic.json']


def test_mask_rcnn_writes_the_masks_that_mmdet_gives(predict, files, models):
    from mmdet.apis import inference_detector, init_detector

    entries = predict('mask_rcnn', files / 'rgb.png').entries['rgb.png', None]
    model = models / 'tiny_mask_rcnn.py', str(models / 'tiny_mask_rcnn.pth')
    detector = init_detector(*model, device='cpu')
    wanted = inference_detector(detector, str(files / 'rgb.png')).pred_instances
    assert len(entries) == len(wanted) > 1
    for entry, mask in zip(entries, wanted.masks.numpy(), strict=True):
        assert entry['segmentation']['size'] == [HEIGHT, WIDTH]
        assert np.array_equal(coco_mask.decode(entry['segmentation']).astype(bool), mask)
    polygons = predict('mask_rcnn', files / 'rgb.png', '--masks', 'polygons', out='polygons')
    outlined = 0
    for found, entry in zip(polygons.entries['rgb.png', None], entries, strict=True):
        outline, mask = found['segmentation'], entry['segmentation']
        if outline != mask:  # as it is where nothing has an outline
            codes = coco_mask.frPyObjects(outline, HEIGHT, WIDTH)
            assert coco_mask.merge(codes)['counts'].decode() == mask['counts']
            outlined += 1
    assert outlined == sum(coco_mask.area(entry['segmentation']) > 0 for entry in entries) > 0


def test_segments_are_coco_panoptic_results(predict, files, models):
    from mmdet.apis import inference_detector, init_detector

    result = predict('mask2former', files / 'rgb.png', files / 'clip.avi')
    assert 'images.json, panoptic.json, predictions.json and pictures in' in result.out
    content = json.loads(Path('out/panoptic.json').read_text())
    (still,) = (entry for entry in content['annotations'] if 'clip' not in entry['file_name'])
    assert still['file_name'] == 'rgb.png.png'
    assert content['images'][still['image_id'] - 1]['file_name'] == 'rgb.png'
    model = models / 'tiny_mask2former.py', str(models / 'tiny_mask2former.pth')
    detector = init_detector(*model, device='cpu')
    wanted = inference_detector(detector, str(files / 'rgb.png')).pred_panoptic_seg.sem_seg[0]
    ids = to_ids(np.asarray(Image.open('out/panoptic/rgb.png.png')))
    assert still['segments_info']
    names = {category['id']: category['name'] for category in content['categories']}
    assert {info['id'] for info in still['segments_info']} == {*np.unique(ids)} - {0}
    for info in still['segments_info']:
        (number,) = wanted[torch.from_numpy(ids == info['id'])].unique().tolist()
        assert np.array_equal(ids == info['id'], wanted == number)
        assert info['area'] == (wanted == number).sum()
        assert names[info['category_id']] == detector.dataset_meta['classes'][number % 1000]
        assert info['isthing'] == (number >= 1000)
    assert cv2.imread('out/panoptic/clip.avi/000000.png').shape == (HEIGHT, WIDTH, 3)
