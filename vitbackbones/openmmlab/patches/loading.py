"""Patches of what is read: configs by name, widths of models, checkpoints and other files."""

from .patch import ONEDL, Patch

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
