"""What a user of OpenMMLab writes; nothing of this project is imported here.

script.py FOLDER DEVICE STEP ...    does the steps in this order, saves what they answer.

FOLDER holds tiny_{det,seg,cls}.{py,pth} and images/*.png; the answers go to FOLDER/<steps>.npz.
"""

import sys
from pathlib import Path

import cv2
import numpy as np
import torch

FOLDER, DEVICE, *STEPS = sys.argv[1:]
IMAGES = sorted(str(path) for path in Path(FOLDER, 'images').iterdir())
ARRAYS = [cv2.imread(path) for path in IMAGES]
# an array first and again in between: what was said of it must not stick
INPUTS = {'array': ARRAYS[0], 'path': IMAGES[0], 'arrays': ARRAYS, 'paths': IMAGES}
INPUTS['pathlib'] = Path(IMAGES[0])
models, answers = {}, {}


def files(task):
    return f'{FOLDER}/tiny_{task}.py', f'{FOLDER}/tiny_{task}.pth'


def aslist(result):
    return result if isinstance(result, list) else [result]


def keep(name, arrays):
    for i, array in enumerate(arrays):
        answers[f'{name} {i}'] = np.asarray(array, np.float32)


def ask(name, call, read):
    for kind, given in INPUTS.items():
        keep(f'{name} {kind}', map(read, aslist(call(given))))


def build_seg():
    from mmseg.apis import init_model

    models['seg'] = init_model(*files('seg'), device=DEVICE)


def build_det():
    from mmdet.apis import init_detector

    models['det'] = init_detector(*files('det'), device=DEVICE)


def build_cls():
    from mmpretrain import get_model

    models['cls'] = get_model(*files('cls'), device=DEVICE)


def use_seg():
    from mmseg.apis import inference_model, show_result_pyplot

    model = models['seg']
    ask('seg', lambda x: inference_model(model, x), lambda x: x.pred_sem_seg.data[0].cpu())
    result = inference_model(model, IMAGES[0])
    keep('seg picture', [show_result_pyplot(model, IMAGES[0], result, show=False)])


def use_det():
    from mmdet.apis import inference_detector

    ask(
        'det',
        lambda x: inference_detector(models['det'], x),
        lambda x: np.c_[x.pred_instances.bboxes.cpu(), x.pred_instances.scores.cpu()],
    )
    use_what_was_imported_long_ago()


def use_what_was_imported_long_ago():
    """Use an operator of mmcv as RetinaNet does; tell whether mmseg's head derives from mmdet's."""
    from mmdet.models.layers import multiclass_nms
    from mmseg.models.decode_heads import Mask2FormerHead

    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 0, 10, 10], [20, 0, 30, 10]], device=DEVICE)
    scores = torch.tensor([[0.5, 0], [0.9, 0], [0, 0.7]], device=DEVICE)  # the last: background
    found, _ = multiclass_nms(boxes, scores, 0.1, {'type': 'nms', 'iou_threshold': 0.5})
    keep('nms', [found.cpu()])
    keep('mask2former', [hasattr(Mask2FormerHead, 'loss_by_feat')])


def use_cls():
    from mmpretrain import inference_model

    for kind in ('array', 'path'):
        result = inference_model(models['cls'], INPUTS[kind])
        keep(f'cls {kind}', [result['pred_scores']])
        assert result['pred_class'] == 'abcdefg'[result['pred_label']]
    config, checkpoint = files('cls')
    result = inference_model(config, IMAGES[0], pretrained=checkpoint, device=DEVICE)
    keep('cls config', [result['pred_scores']])


def build_inferencers():
    from mmdet.apis import DetInferencer
    from mmpretrain import ImageClassificationInferencer
    from mmseg.apis import MMSegInferencer

    models['segs'] = MMSegInferencer(*files('seg'), device=DEVICE)
    models['dets'] = DetInferencer(*files('det'), device=DEVICE)
    models['clss'] = ImageClassificationInferencer(*files('cls'), device=DEVICE)


def use_inferencers():
    folder = str(Path(FOLDER, 'images'))
    INPUTS['folder'] = folder
    segs, dets, clss = (models[name] for name in ('segs', 'dets', 'clss'))
    ask('segs', lambda x: as_masks(segs(x)['predictions']), lambda x: x)
    ask('dets', lambda x: dets(x)['predictions'], lambda x: np.c_[x['bboxes'], x['scores']])
    ask('clss', clss, lambda x: x['pred_scores'])
    del INPUTS['folder']
    keep('segs picture', [segs(IMAGES[0], return_vis=True)['visualization']])
    keep('dets picture', dets(IMAGES[:1], return_vis=True)['visualization'])
    clss(folder, show_dir=f'{FOLDER}/drawn')


def as_masks(predictions):
    return predictions if isinstance(predictions, list) else [predictions]


for step in STEPS:
    globals()[step]()
np.savez(Path(FOLDER, f'{"-".join(STEPS)}.npz'), **answers)
