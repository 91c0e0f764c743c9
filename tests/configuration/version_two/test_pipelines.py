"""Steps of version 2 are the steps of version 3 that do the same."""

import pytest

from vitbackbones.configuration.version_two.pipelines import convert_pipeline


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ({'img_scale': [(8, 4), (8, 6)]}, {'type': 'RandomResize', 'scale': [(8, 4), (8, 6)]}),
        (
            {'img_scale': [(8, 4), (8, 6)], 'multiscale_mode': 'value'},
            {'type': 'RandomChoiceResize', 'scales': [(8, 4), (8, 6)]},
        ),
        ({'img_scale': [(8, 4)]}, {'type': 'Resize', 'scale': (8, 4)}),
        (
            {'img_scale': (8, 4), 'ratio_range': (0.5, 2)},
            {'type': 'RandomResize', 'scale': (8, 4), 'ratio_range': (0.5, 2)},
        ),
    ],
)
def test_sizes_of_detectors(old, new):
    (step,) = convert_pipeline([{'type': 'Resize', **old}], 'mmdet').steps
    assert step == new | {'keep_ratio': True}


def test_sizes_of_classifiers():
    old = [
        {'type': 'Resize', 'size': (256, -1)},
        {'type': 'RandomResizedCrop', 'size': 224, 'scale': (0.2, 1.0), 'backend': 'pillow'},
        {'type': 'RandomFlip', 'flip_prob': 0.5, 'direction': 'horizontal'},
        {'type': 'Collect', 'keys': ['img', 'gt_label']},
    ]
    assert convert_pipeline(old, 'mmpretrain').steps == [
        {'type': 'ResizeEdge', 'scale': 256, 'edge': 'short'},
        {
            'type': 'RandomResizedCrop',
            'scale': 224,
            'crop_ratio_range': (0.2, 1.0),
            'backend': 'pillow',
        },
        {'type': 'RandomFlip', 'prob': 0.5, 'direction': 'horizontal'},
        {'type': 'PackInputs'},
    ]


@pytest.mark.parametrize(
    ('toolbox', 'old', 'new'),
    [
        (
            'mmpretrain',
            {'type': 'RandomResizedCrop', 'size': 224, 'efficientnet_style': True},
            {'type': 'EfficientNetRandomCrop', 'scale': 224},
        ),
        (
            'mmpretrain',
            {'type': 'CenterCrop', 'crop_size': 224, 'efficientnet_style': True, 'backend': 'cv2'},
            {'type': 'EfficientNetCenterCrop', 'crop_size': 224, 'backend': 'cv2'},
        ),
        (
            'mmpretrain',
            {'type': 'CenterCrop', 'crop_size': 224, 'interpolation': 'bicubic'},
            {'type': 'CenterCrop', 'crop_size': 224},
        ),
        (
            'mmpretrain',
            {'type': 'RandomCrop', 'size': 32, 'padding': 4},
            {'type': 'RandomCrop', 'crop_size': 32, 'padding': 4},
        ),
        (
            'mmdet',
            {'type': 'RandomShift', 'shift_ratio': 0.5, 'max_shift_px': 32},
            {'type': 'RandomShift', 'prob': 0.5, 'max_shift_px': 32},
        ),
        (
            'mmdet',
            {'type': 'Pad', 'pad_to_square': True, 'pad_val': 114.0},
            {'type': 'Pad', 'pad_to_square': True, 'pad_val': {'img': (114.0, 114.0, 114.0)}},
        ),
    ],
)
def test_steps_with_other_words(toolbox, old, new):
    assert convert_pipeline([old], toolbox).steps == [new]


def test_albu_leaves_out_the_labels_of_boxes_that_it_leaves_out():
    boxes = {'type': 'BboxParams', 'format': 'pascal_voc', 'label_fields': ['gt_labels']}
    old = {'type': 'Albu', 'transforms': [], 'bbox_params': boxes, 'update_pad_shape': False}
    (step,) = convert_pipeline([old], 'mmdet').steps
    assert step['bbox_params']['label_fields'] == ['gt_bboxes_labels', 'gt_ignore_flags']
    assert 'update_pad_shape' not in step


def test_choices_of_detr_have_the_sizes_of_version_three():
    sizes = {'type': 'Resize', 'img_scale': [(8, 4), (8, 6)], 'multiscale_mode': 'value'}
    crop = {'type': 'RandomCrop', 'crop_size': (4, 4)}
    old = {'type': 'AutoAugment', 'policies': [[sizes], [crop, sizes | {'override': True}]]}
    (step,) = convert_pipeline([old], 'mmdet').steps
    resized = {'type': 'RandomChoiceResize', 'scales': [(8, 4), (8, 6)], 'keep_ratio': True}
    assert step == {'type': 'RandomChoice', 'transforms': [[resized], [crop, resized]]}


@pytest.mark.parametrize(
    ('toolbox', 'load'),
    [
        ('mmseg', {'type': 'LoadAnnotations'}),
        ('mmdet', {'type': 'LoadAnnotations', 'with_bbox': True}),
        ('mmpretrain', None),
    ],
)
def test_a_test_loads_what_metrics_of_version_three_compare_with(toolbox, load):
    inside = [{'type': 'Collect', 'keys': ['img']}]
    flips = {'type': 'MultiScaleFlipAug', 'img_scale': (8, 4), 'flip': False, 'transforms': inside}
    steps = convert_pipeline([{'type': 'LoadImageFromFile'}, flips], toolbox).steps
    assert steps[1:-1] == ([load] if load else [])


def test_keys_of_images_are_those_that_version_three_has():
    def packed(*keys):
        old = {'type': 'Collect', 'keys': ['img'], 'meta_keys': keys}
        return convert_pipeline([old], 'mmdet').steps[0]

    assert packed('filename', 'ori_shape', 'img_norm_cfg') == {'type': 'PackDetInputs'}
    assert packed('filename', 'tag')['meta_keys'][-1] == 'tag'
    assert 'img_id' in packed('filename', 'tag')['meta_keys']
