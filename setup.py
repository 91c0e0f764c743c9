"""Package metadata. Lower bounds live here, the tested versions in constraints*.txt.

Without extras the core is installed, which needs torch only. The two OpenMMLab families share their
import names, so at most one of the extras `onedl` and `openmmlab` belongs in an environment. The
wheel holds the package only: configs and tools are text to read, copy and edit, and are used from
the clone (`pip install --editable '.[onedl]'`).
"""

from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent

# The core: models by name, checkpoints in and out, fusing.
REQUIRES = [
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
    'scikit-learn',  # t-SNE
    'scipy',
    'torchvision',
    'tqdm',
]

SHARDS = ['braceexpand', 'webdataset>=1.0']

EXTRAS = {
    'onedl': [  # the maintained continuation of OpenMMLab
        *TOOLS,
        'onedl-mmengine>=0.10.12',
        'onedl-mmcv>=2.3.6',
        'onedl-mmdetection>=3.5.1',
        'onedl-mmsegmentation>=1.4.2',
        'onedl-mmpretrain>=1.3.6',
    ],
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
    'shards': SHARDS,  # to write tar shards; reading them takes nothing
    # compared with by tools/benchmark.py --suite cpu; torch writes ONNX graphs with onnx
    'export': ['onnx', 'onnxruntime', 'openvino'],
    'dev': [*SHARDS, 'pytest', 'pytest-random-order', 'pytest-xdist', 'ruff', 'timm'],
}


def read_version() -> str:
    names = {}
    exec((ROOT / 'vitbackbones' / 'version.py').read_text(), names)
    return names['__version__']


setup(
    name='vitbackbones',
    version=read_version(),
    description='Vision-transformer backbones for COCO detection and ADE20K segmentation',
    author='vitbackbones authors',
    license='Apache-2.0',
    python_requires='>=3.10,<3.13',
    packages=find_packages(include=['vitbackbones', 'vitbackbones.*']),
    package_data={'vitbackbones.reporting': ['page.html']},
    install_requires=REQUIRES,
    extras_require=EXTRAS,
)
