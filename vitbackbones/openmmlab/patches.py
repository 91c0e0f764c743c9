"""Every patch of another package, in one table: what is wrong there, and what is done about it.

Data only. :mod:`~vitbackbones.openmmlab.applying` puts a patch in place, and
:mod:`~vitbackbones.openmmlab.after_import` does so as soon as the module that it concerns is
imported. ``docs/compatibility.md`` shows this table on the site.
"""

from dataclasses import dataclass

AFTER_IMPORT = 'always'
IF_MISSING = 'if the module is not installed'
IN_RUN = 'in runs of the tools'
IF_UNUSED = 'in runs of the tools whose config does not need it'
IN_WORKER = 'in data workers'
IN_TRAINING = 'in training'

ALL = 'all'
ONEDL = 'onedl'


@dataclass(frozen=True)
class Patch:
    """One attribute of another package that is replaced, or whose value is changed in place.

    Attributes:
        target: ``'module:name'``, ``'module:Class.name'``, or a module that gets a stand-in.
        wrong: what happens without the patch.
        done: what happens with it.
        fix: ``'module:function'`` of ``vitbackbones.openmmlab``. The function gets what the target
            is, and returns what takes its place; None where it changed something in place.
        when: one of the moments above.
        releases: where it is needed: ``ALL``, or ``ONEDL`` for the continued releases alone.
        needed_by: for ``IF_UNUSED``, words of which a config that needs it has one in its text.
        protects: what would be loaded without protection if the target were gone. Such a patch is
            never skipped silently.
    """

    target: str
    wrong: str
    done: str
    fix: str
    when: str = AFTER_IMPORT
    releases: str = ALL
    needed_by: tuple[str, ...] = ()
    protects: str = ''


IMPORTS = (
    Patch(
        'mmcv._ext',
        '`mmdet.models` and parts of mmseg import `mmcv.ops`, which needs the compiled extension',
        'a stand-in serves the operators of `docs/operators.md`; another raises when it is called. '
        'What mmdet and mmseg failed to import without it is imported then',
        'operators:Operators',
        when=IF_MISSING,
    ),
    Patch(
        'mmcv.ops.multi_scale_deform_attn:multi_scale_deformable_attn_pytorch',
        'multi-scale deformable attention on a CPU or in bfloat16 keeps every sampled value',
        'embedding bags sum what is sampled at once, and only the inputs are kept',
        'operators.deformable_attention:attend_in_chunks',
    ),
    Patch(
        'mmpretrain.utils.dependency:WITH_MULTIMODAL',
        '`mmpretrain.models` does not import beside transformers 5',
        'beside transformers 5 the multimodal models, which alone need it, are left out',
        'missing_packages:without_new_transformers',
    ),
    *(
        Patch(
            module,
            'panoptic data and metrics of mmdet need it, and no package index has it',
            'colors of segments and panoptic quality are computed here',
            'panopticapi:PanopticAPI',
            when=IF_MISSING,
        )
        for module in ('panopticapi', 'panopticapi.evaluation', 'panopticapi.utils')
    ),
    *(
        Patch(
            module,
            '`mmdet.datasets` imports it for its augmentation of lanes alone; with it come numba, '
            'scikit-image, an old OpenCV and a second one',
            'a stand-in is imported, and raises when something of it is used',
            'missing_packages:ImgAug',
            when=IF_MISSING,
            releases=ONEDL,
        )
        for module in (
            *('imgaug', 'imgaug.augmenters', 'imgaug.augmentables'),
            *('imgaug.augmentables.lines', 'imgaug.augmentables.segmaps'),
        )
    ),
)


def _optional(module: str, package: str, *needed_by: str, releases: str = ALL) -> Patch:
    """Return the patch of a module that imports another package if that is installed."""
    names = ' or '.join(needed_by)
    return Patch(
        f'{module}:{package}',
        f'{package} is imported, which takes time, although {names} alone needs it',
        f'{package} is not imported here; the module does without, as where it is not installed',
        'missing_packages:UnusedToolboxes',
        when=IF_UNUSED,
        releases=releases,
        needed_by=needed_by,
    )


OTHER_TOOLBOXES = (
    _optional('mmdet.models.reid.base_reid', 'mmpretrain', 'ReID'),
    _optional('mmdet.models.reid.linear_reid_head', 'mmpretrain', 'ReID'),
    _optional('mmdet.models.data_preprocessors.reid_data_preprocessor', 'mmpretrain', 'ReID'),
    _optional('mmseg.models.decode_heads.mask2former_head', 'mmdet', 'Mask2Former'),
    _optional('mmseg.models.decode_heads.maskformer_head', 'mmdet', 'MaskFormer'),
    _optional('mmseg.datasets.onedl', 'mmpretrain', 'OneDL', releases=ONEDL),
    _optional('mmpretrain.models.utils.res_layer_extra_norm', 'mmdet', 'ResLayerExtraNorm'),
    _optional('mmseg.models.backbones.timm_backbone', 'timm', 'TIMMBackbone'),
    _optional('mmdet.models.dense_heads.paa_head', 'sklearn', 'PAAHead', 'LADHead'),
    _optional(
        'mmdet.models.task_modules.tracking.interpolation', 'sklearn', 'InterpolateTracklets'
    ),
)

NAMED_CONFIGS = (
    Patch(
        'mmengine.config.config:Config.fromfile',
        'a config of this package needs its path, which an installed wheel hides',
        'its name will do, and the path that it has in a clone, from any directory',
        'named_configs:read_by_name',
    ),
    Patch(
        'mmengine.config.config:Config._get_cfg_path',
        '`_base_` reaches into a fixed list of packages',
        "`_base_ = 'vitbackbones::coco/detr_aug_vit_s.py'` works in any project",
        'named_configs:find_base',
    ),
    Patch(
        'mmengine.infer.infer:BaseInferencer._load_model_from_metafile',
        'inferencers know the names of their own toolbox',
        'they also know those of the shipped configs',
        'named_configs:load_by_name',
    ),
)

WIDTHS = (
    Patch(
        'mmengine.registry:Registry.build',
        'the widths of the maps that neck and heads read are typed into every config, although the '
        'backbone knows them',
        'those that a config leaves out are filled from the backbone when a model is built',
        'runs:fill_before_building',
    ),
    Patch(
        'mmengine.model.base_model.data_preprocessor:ImgDataPreprocessor.__init__',
        'mean and std are those of one or three bands',
        'of any number of bands',
        'widths:of_any_bands',
    ),
)

LOADING = (
    Patch(
        'mmengine.runner:CheckpointLoader.load_checkpoint',
        'a download that fails ends in whatever error the client has',
        'one message that begins with the address',
        'loading:explain_downloads',
    ),
    Patch(
        'mmengine.runner:CheckpointLoader.register_scheme',
        "`torch.load` refuses mmengine's own checkpoints under torch 2.6 and later; the onedl "
        'releases then unpickle the file without restrictions, which runs code that it brings',
        'files and storage are read by `vitbackbones.weights.read`, which never runs code',
        'loading:register_safe_loaders',
        protects='checkpoint files',
    ),
    Patch(
        'mmengine.runner:checkpoint.load_url',
        'as above, for `http(s)://`, `torchvision://` and `open-mmlab://`',
        'downloads are read by `vitbackbones.weights.read`',
        'loading:load_url_safely',
        protects='downloaded checkpoints',
    ),
    Patch(
        'mmengine.runner:checkpoint._safe_torch_load',
        'as above, for `pavi://` and caches',
        'they are read by `vitbackbones.weights.read`',
        'loading:load_fetched_safely',
        releases=ONEDL,
    ),
    Patch(
        'mmengine.runner:checkpoint.load_state_dict',
        'a state dict of which nothing fits the model leaves it random with a line in the log',
        'it is an error',
        'loading:require_something',
    ),
    Patch(
        'mmengine.fileio:PickleHandler.load_from_fileobj',
        'annotations in a `.pkl` file are unpickled without restrictions',
        'they are read as data',
        'loading:read_plain_pickle',
        protects='pickled annotations',
    ),
    Patch(
        'mmengine.fileio:YamlHandler.load_from_fileobj',
        'a `.yaml` file calls what its `!!python/...` tags name, and libyaml crashes on deep lists',
        "it is read as plain data, with PyYAML's own parser",
        'loading:read_plain_yaml',
        protects='YAML files',
    ),
)

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

# What other packages print or warn of although nobody can act on it.
MESSAGES = (
    Patch(
        'warnings:filterwarnings',
        'mmdet and mmseg warn of what is as it should be: faster-coco-eval is not installed, a '
        'visualization hook does not draw, a loss copies a tensor or averages over all pixels, '
        'points are made by `torch.meshgrid`',
        'these five warnings are ignored',
        'logs:ignore_false_alarms',
    ),
    Patch(
        'mmengine.logging.logger:print_log',
        'messages without a logger are printed, also those for debugging (`Could not import '
        'OneDL`), and no log of a run has them; every inferencer warns that its toolbox has no '
        'registry of functions',
        "they go to a run's log, those for debugging and that warning nowhere",
        'logs:print_if_meant',
    ),
    *(
        Patch(
            target,
            'its module prints each step of reading and evaluating',
            "in a run it goes to the run's log",
            'logs:log_prints',
        )
        for target in (
            'pycocotools.coco:COCO',
            'pycocotools.cocoeval:COCOeval',
            'mmdet.datasets.api_wrappers.coco_api:COCOPanoptic',
        )
    ),
    Patch(
        'mmengine.logging.logger:MMLogger.get_current_instance',
        "a run's log does not show what is logged with Python's `logging`",
        "what this package logs goes to the present runner's log",
        'logs:log_with_runner',
    ),
    Patch(
        'torch._utils:ExceptionWrapper.reraise',
        'an error of a data worker arrives with its traceback as the message',
        'an `InputError` of this package arrives with its own message',
        'logs:keep_message',
    ),
)

RUNS = (
    Patch(
        'pycocotools.coco:COCO.loadRes',
        'where a model detects nothing in any image, mmdet measures nothing',
        'its AP is 0',
        'runs:take_none',
    ),
    Patch(
        'yapf.yapflib.yapf_api:FormatCode',
        'the text of a config is laid out five times before the first step, and again for every '
        'checkpoint, which takes a second and more',
        'the same text is laid out once',
        'runs:lay_out_once',
    ),
    Patch(
        'mmengine.fileio:register_backend',
        'local files are written over the old ones: after a kill in between, a run has neither '
        'checkpoint',
        'a file is either the old or the new one',
        'loading:write_atomically',
        when=IN_RUN,
    ),
    Patch(
        'multiprocessing.queues:Queue._on_queue_feeder_error',
        'a worker without shared memory for a batch prints a traceback; training waits forever',
        'the worker ends',
        'runs:end_with_error',
        when=IN_WORKER,
    ),
    Patch(
        'torch.utils.data._utils.signal_handling:_set_SIGCHLD_handler',
        'the death of a data worker raises an error in whatever training is doing, such as a step '
        'of the optimizer',
        "torch's handler is set before a run's own, which raises where training waits for data",
        'runs:set_handler_first',
        when=IN_TRAINING,
    ),
)

PARTS = {
    'What imports, and what is left out': IMPORTS,
    'What toolboxes import without need': OTHER_TOOLBOXES,
    'Messages': MESSAGES,
    'Configs by name': NAMED_CONFIGS,
    'Widths of models': WIDTHS,
    'Loading': LOADING,
    'Inference functions': INFERENCE,
    'Runs': RUNS,
}
PATCHES = tuple(patch for part in PARTS.values() for patch in part)
