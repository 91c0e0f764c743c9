"""Package metadata. Lower bounds live here, the tested versions in constraints*.txt.

Without extras the core is installed, which needs torch only. The two OpenMMLab families share their
import names, so at most one of the extras `onedl` and `openmmlab` belongs in an environment. A
wheel carries the configs, with an index of their headers, where OpenMMLab's tools look for them:
in `vitbackbones/.mim`. The pages of `docs/` lie there, too.
"""

import json
import runpy
import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent

# The core: models by name, checkpoints in and out, fusing.
REQUIRES = [
    'filelock',  # one process of a node downloads for all
    'numpy',
    'safetensors',
    'torch>=2.6',  # torch.nn.utils.get_total_norm
]

# What training, evaluation and the tools import beside a family of OpenMMLab.
TOOLS = [
    'jinja2',
    'matplotlib',
    'opencv-python-headless',
    'pillow',
    'pycocotools',
    'scipy',
    'torchvision',
    'tqdm',
]

# What the releases of OpenMMLab import, without what imaug asks for and does not import (numba,
# llvmlite and an old OpenCV) and without opencv-python, which opencv-python-headless stands for.
TOOLBOX_NEEDS = [
    'addict',
    'einops',
    'ftfy',
    'imageio',
    'importlib-metadata',
    'mat4py',
    'model-index',
    'modelindex',
    'packaging',
    'prettytable',
    'pyyaml',
    'regex',
    'rich',
    'scikit-image',
    'shapely',
    'six',
    'termcolor',
    'terminaltables',
    'yapf',
]

# The maintained continuation of OpenMMLab.
ONEDL = ['onedl-mmengine>=0.10.12', 'onedl-mmcv>=2.3.6']
DETECTION = [*TOOLS, *ONEDL, 'onedl-mmdetection>=3.5.1']
SEGMENTATION = [*TOOLS, *ONEDL, 'onedl-mmsegmentation>=1.4.2']
CLASSIFICATION = [*TOOLS, *ONEDL, 'onedl-mmpretrain>=1.3.6']
ALL_TASKS = sorted({*DETECTION, *SEGMENTATION, *CLASSIFICATION})

HUB = ['huggingface-hub']  # weights from hf-hub:OWNER/NAME, and publishing there
DISTILL = ['timm']  # teachers of timm
TRACK = ['mlflow-skinny', 'tensorboard', 'wandb']
EXPORT = ['onnx', 'onnxruntime', 'onnxscript', 'openvino']
INT8 = ['nncf']  # export --int8
# what runs exported files, with the package itself by --no-deps
DEPLOY = ['numpy', 'onnxruntime', 'opencv-python-headless', 'pillow', 'tqdm']
DOCS = ['ipykernel', 'jupytext', 'mkdocs-material', 'mkdocstrings[python]', 'nbconvert']

EXTRAS = {
    'detection': DETECTION,
    'segmentation': SEGMENTATION,  # Mask2Former needs detection, too
    'classification': CLASSIFICATION,
    'onedl': ALL_TASKS,
    'all': [*ALL_TASKS, *HUB, *DISTILL, *TRACK, *EXPORT, *INT8],
    'openmmlab': [  # the originals; mmdet and mmseg refuse mmcv 2.2
        *TOOLS,
        'mmengine>=0.10.7',
        'mmcv-lite>=2.1.0,<2.2',
        'mmdet>=3.3.0',
        'mmsegmentation>=1.2.2',
        'mmpretrain>=1.2.0',
        'ftfy',  # imported by mmseg, which does not ask for it
        'regex',  # likewise
        'setuptools<82',  # mmengine imports pkg_resources
    ],
    # for toolboxes that `pip install --no-deps` adds: docs/install.md has the two commands
    'lean': [*TOOLS, *TOOLBOX_NEEDS],
    'hub': HUB,
    'distill': DISTILL,
    'track': TRACK,
    'export': EXPORT,
    'int8': [*EXPORT, *INT8],
    'deploy': DEPLOY,
    'docs': DOCS,  # to build the site
    'dev': [
        *HUB,
        *DISTILL,
        'mypy',
        'pytest',
        'pytest-random-order',
        'pytest-xdist',
        'ruff',
    ],
}


class BuildWithConfigs(build_py):
    """Copy the configs into the package, unless it is used in place (`pip install --editable`)."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            folder = Path(self.build_lib, 'vitbackbones', '.mim')
            shutil.rmtree(folder, ignore_errors=True)
            skipped = shutil.ignore_patterns('__pycache__')
            shutil.copytree(ROOT / 'configs', folder / 'configs', ignore=skipped)
            for page in (ROOT / 'docs').rglob('*.md'):  # that messages name
                copy = folder / page.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(page, copy)
            index = read_names('configuration/index')['model_index'](folder / 'configs')
            # JSON is YAML, too
            (folder / 'metafile.yml').write_text(json.dumps(index, indent=2))
            (folder / 'model-index.yml').write_text(json.dumps({'Import': ['metafile.yml']}))


def read_names(module: str) -> dict:
    """Return the names of a module of the package, which may lack what it needs to be imported."""
    return runpy.run_path(str(ROOT / 'vitbackbones' / f'{module}.py'))


setup(
    name='vitbackbones',
    version=read_names('version')['__version__'],
    description='Vision-transformer backbones for COCO detection and ADE20K segmentation',
    long_description=(ROOT / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    author='vitbackbones authors',
    license='Apache-2.0',
    license_files=['LICENSE'],
    keywords='vision transformer, object detection, segmentation, DETR, SETR, COCO, ADE20K',
    classifiers=[
        'Development Status :: 4 - Beta',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        'Programming Language :: Python :: 3.10',
        'Programming Language :: Python :: 3.11',
        'Programming Language :: Python :: 3.12',
        'Programming Language :: Python :: 3.13',
        'Programming Language :: Python :: 3.14',
        'Topic :: Scientific/Engineering :: Artificial Intelligence',
        'Topic :: Scientific/Engineering :: Image Recognition',
    ],
    python_requires='>=3.10,<3.15',
    packages=find_packages(include=['vitbackbones', 'vitbackbones.*']),
    package_data={
        'vitbackbones': ['py.typed'],
        'vitbackbones.weights': ['*.csv', 'trained/*'],
        'vitbackbones.results.report': ['page.html'],
    },
    install_requires=REQUIRES,
    extras_require=EXTRAS,
    entry_points={'console_scripts': ['vitbackbones = vitbackbones.commands.main:main']},
    cmdclass={'build_py': BuildWithConfigs},
)
