"""Patches of the inference functions and inferencers of the toolboxes."""

from .patch import Patch

INFERENCE = (
    Patch(
        'mmengine.infer:BaseInferencer._init_model',
        'weights without a config: the text of a config that the file brings along is executed',
        'the config is asked for',
        'inference:require_config',
        protects='weights that an inferencer gets without a config',
    ),
    Patch(
        'mmseg.apis.inference:_preprare_data',
        'bare names of a pipeline are looked up in the toolbox used last; "the image is an array" '
        "is written into the model's config, and no file is read after it",
        "they are looked up in mmseg, in a copy of the model's config",
        'inference:prepare_in_mmseg',
    ),
    Patch(
        'mmseg.models.segmentors.base:BaseSegmentor.test_step',
        'all images of a list must have one size',
        'others are taken one by one',
        'inference:run_each_size',
    ),
    Patch(
        'mmdet.apis.inference:get_test_pipeline_cfg',
        '"the image is an array" is written into the config of the model',
        'into a copy',
        'inference:copy_result',
    ),
    Patch(
        'mmdet.apis.inference:Compose',
        'bare names of a pipeline are looked up in the toolbox used last; an image of Pillow ends '
        'in an `AssertionError` without a word, a thin picture in an error of OpenCV',
        'they are looked up in mmdet; the picture is named',
        'inference:compose_in_mmdet',
    ),
    *(
        Patch(
            target,
            'a picture that cannot be resized ends in an error of OpenCV without its name',
            'it is named',
            'inference:name_pictures',
        )
        for target in (
            'mmseg.apis.utils:Compose',
            'mmseg.apis.mmseg_inferencer:Compose',
            'mmdet.apis.det_inferencer:Compose',
        )
    ),
    *(
        Patch(
            target,
            "a checkpoint of other classes than the config's loads with a log line, and its last "
            "layer stays random; one that holds weights alone ends in `KeyError: 'meta'`",
            'for models with a backbone of this package the former is an error; the latter loads',
            'inference:check_classes',
        )
        for target in (
            'mmseg.apis.inference:load_checkpoint',
            'mmseg.apis.mmseg_inferencer:_load_checkpoint_to_model',
            'mmdet.apis.inference:load_checkpoint',
            'mmdet.apis.det_inferencer:_load_checkpoint_to_model',
        )
    ),
    *(
        Patch(
            f'{inferencer}._load_weights_to_model',
            f"for weights alone the classes of {named} are named, whatever the config's are",
            "the config's are",
            'inference:name_classes_by_config',
        )
        for inferencer, named in (
            ('mmseg.apis.mmseg_inferencer:MMSegInferencer', 'Cityscapes'),
            ('mmdet.apis.det_inferencer:DetInferencer', 'COCO'),
        )
    ),
    *(
        Patch(
            f'{inferencer}._inputs_to_list',
            'the files of a folder come in the order of the file system, and answers have no '
            'names; pathlib paths and images of Pillow are not read',
            'the files are sorted; paths and images are read',
            'inference:list_pictures',
        )
        for inferencer in (
            'mmseg.apis.mmseg_inferencer:MMSegInferencer',
            'mmdet.apis.det_inferencer:DetInferencer',
            'mmpretrain.apis.image_classification:ImageClassificationInferencer',
        )
    ),
    Patch(
        'mmengine.runner:load_checkpoint',
        'weights are known by their file or address alone, and loaded key by key',
        'the name of published weights (`vitbackbones weights`) fills a classifier with a backbone '
        'of this package, whose images are then normalized as those of the weights were',
        'inference:fill_published',
    ),
    Patch(
        'mmpretrain.apis.image_classification:ImageClassificationInferencer.__init__',
        'names are looked up in the toolbox used last; a checkpoint of other classes loads',
        'they are looked up in mmpretrain; such a checkpoint is an error for our backbones',
        'inference:start_in_mmpretrain',
    ),
    Patch(
        'mmpretrain.models.classifiers.base:BaseClassifier',
        '`inference_model` knows the task of models of its zoo, not of one built from a config',
        'a classifier is known to classify',
        'inference:know_classifiers',
    ),
    Patch(
        'mmpretrain.apis.model:ModelHub.get',
        '`inference_model` takes no config, although `get_model` does',
        'it takes a config or its path, and both take the name of a shipped config',
        'named_configs:find_classifier',
    ),
)
