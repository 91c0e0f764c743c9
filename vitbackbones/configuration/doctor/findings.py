"""What can be wrong with an environment, and what to type.

Each check reads collected facts alone
(:class:`~vitbackbones.configuration.doctor.facts.Environment`), so that a test can make up any
machine.
"""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from ...errors import InputError
from ...utils.packages import OPENMMLAB
from .facts import Environment, installed_packages

PYTHONS = ((3, 10), (3, 14))  # the oldest and the newest that are supported
ORIGINAL = ('mmengine', 'mmcv', 'mmcv-lite', 'mmcv-full', 'mmdet', 'mmsegmentation', 'mmpretrain')
ONEDL = tuple(
    f'onedl-{name}' for name in ('mmengine', 'mmcv', 'mmdetection', 'mmsegmentation', 'mmpretrain')
)
OPENCVS = (
    'opencv-contrib-python',
    'opencv-contrib-python-headless',
    'opencv-python',
    'opencv-python-headless',
)
LEAST_FREE = 2 * 2**30  # bytes; three checkpoints of a detector, with the optimizer's state


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    check: str
    state: str  # 'ok', 'note' (it works; something better is possible) or 'problem'
    text: str  # what is there, and what is wrong with it
    remedy: str = ''  # what to type; empty where there is nothing to do


Answer = tuple[str, str, str] | tuple[str, str]  # state, text, remedy


def python(env: Environment) -> Answer:
    """Is this a version of Python that all packages have releases for?"""
    name, oldest, newest = ('.'.join(map(str, each)) for each in (env.python, *PYTHONS))
    if PYTHONS[0] <= env.python <= PYTHONS[1]:
        return 'ok', name
    text = f'{name} is not supported, {oldest} to {newest} are'
    return 'problem', text, 'python3.12 -m venv .venv'


def package(env: Environment) -> Answer:
    """Is the package that runs the one that the user looks at?"""
    running = f'{env.running.version} from {env.running.root}'
    if env.clone is None or env.clone.root == env.running.root:
        return 'ok', running
    state = 'note' if env.clone.version == env.running.version else 'problem'
    text = f'{running} is imported, and {env.clone.root} has {env.clone.version}'
    again = f"pip install --no-deps --editable '{env.clone.root}'"
    return state, text, f'pip uninstall -y vitbackbones && {again}'


def torch(env: Environment) -> Answer:
    """Can torch be imported, and does it find the GPU?"""
    probe, version = env.probes['torch'], env.version('torch')
    if probe.missing == 'torch':
        return 'problem', 'not installed', 'pip install torch torchvision'
    if probe.error:
        remedy = f"pip install --force-reinstall 'torch=={version}' torchvision"
        return 'problem', f'torch {version}: {probe.error}', remedy
    answers = probe.answers
    if answers['gpus']:
        return 'ok', f'{version} on {", ".join(answers["gpus"])}'
    if answers['mps']:
        return 'ok', f"{version} on Apple's GPU (mps)"
    if env.visible_gpus in ('', '-1'):
        return 'note', f'{version} on the CPU: CUDA_VISIBLE_DEVICES hides all GPUs'
    if not env.gpu:
        return 'ok', f'{version} on the CPU'
    if not answers['cuda']:
        text = f'{version} is built without CUDA, but this machine has an NVIDIA GPU'
        return 'problem', text, 'pip install --force-reinstall torch torchvision'
    text = f'{version} for CUDA {answers["cuda"]} does not find the GPU: {answers["fault"]}'
    remedy = 'nvidia-smi, which names the CUDA of the driver; newer drivers run older CUDA'
    return 'problem', text, remedy


def torchvision(env: Environment) -> Answer | None:
    """Are torch and torchvision a pair?"""
    if 'torchvision' not in env.packages:
        return None
    fault, error = torch_pair(env), env.probes['torchvision'].error
    if fault is None and error and not env.probes['torch'].error:
        fault = f'import torchvision: {error}', _same_again(env)
    if fault:
        return 'problem', *fault
    return 'ok', f'{env.version("torchvision")}, made for this torch'


def torch_pair(env: Environment) -> tuple[str, str] | None:
    """Return what is wrong with torch beside torchvision, by their metadata, and what to type."""
    there, local = env.version('torch').partition('+')[::2]
    vision, others = env.version('torchvision').partition('+')[::2]
    if not there or not vision:
        return None
    requires = ' '.join(env.packages['torchvision'].requires)
    found = re.search(r'\btorch\s*\(?==\s*([\d.]+)', requires)
    if found and found[1] != there:
        text = f'torchvision {vision} is made for torch {found[1]}, and torch is {there}'
        return text, f"pip install --upgrade 'torch=={there}' torchvision{_index(local)}"
    if local and others and local != others:
        return f'torch is built for {local}, and torchvision for {others}', _same_again(env)
    return None


def _same_again(env: Environment) -> str:
    there, local = env.version('torch').partition('+')[::2]
    vision = env.version('torchvision').partition('+')[0]
    pair = f'torch=={there} torchvision=={vision}'
    return f'pip install --force-reinstall --no-deps {pair}{_index(local)}'


def _index(local: str) -> str:
    return f' --index-url https://download.pytorch.org/whl/{local}' if local else ''


def numpy(env: Environment) -> Answer | None:
    """Do the compiled packages fit the numpy that is there?"""
    version = env.version('numpy')
    for module, name in (('cv2', 'opencv-python-headless'), ('pycocotools', 'pycocotools')):
        error = env.probes[module].error
        if re.search(r'numpy\.core|numpy\.dtype|_ARRAY_API|compiled using NumPy', error):
            text = f'{module} is built for another numpy than {version}: {error}'
            return 'problem', text, f'pip install --upgrade --force-reinstall --no-deps {name}'
    return ('ok', version) if version else None


def opencv(env: Environment) -> Answer:
    """Can cv2 be imported, and is there one installation of it?"""
    there = [name for name in OPENCVS if name in env.packages]
    names, probe = _versions(env, there), env.probes['cv2']
    if probe.missing == 'cv2':
        return 'problem', 'not installed', 'pip install opencv-python-headless'
    remedy = 'pip install --no-deps --force-reinstall opencv-python-headless'
    if there:
        remedy = f'pip uninstall -y {" ".join(there)} && {remedy}=={env.version(there[-1])}'
    if re.search(r'lib(GL|gthread|glib|SM|Xext)', probe.error):
        return 'problem', f'{names} needs a library for displays: {probe.error}', remedy
    if probe.error:
        return 'problem', f'import cv2: {probe.error}', remedy
    kind = 'headless' if probe.answers['headless'] else 'for displays'
    if len(there) < 2:
        return 'ok', f'{probe.answers["version"]}, {kind}'
    state = 'note' if len({env.version(name) for name in there}) == 1 else 'problem'
    in_force = f'the one in use is {probe.answers["version"]}, {kind}'
    return state, f'{names} install the same files; {in_force}', remedy


def family(env: Environment) -> Answer:
    """Is there one family of OpenMMLab?"""
    originals = [name for name in ORIGINAL if name in env.packages]
    onedl = [name for name in ONEDL if name in env.packages]
    if originals and onedl:
        names = f'{_versions(env, onedl)} and {_versions(env, originals)}'
        text = f'{names} install the same modules; which of them is imported is a matter of chance'
        again, both = ' '.join(onedl), ' '.join([*onedl, *originals])
        return 'problem', text, f'pip uninstall -y {both} && pip install --no-deps {again}'
    if not originals and not onedl:
        text = 'not installed: models by name work; training and predicting need a toolbox'
        return 'note', text, "pip install 'vitbackbones[onedl]'"
    return 'ok', _versions(env, [*onedl, *originals])


def _versions(env: Environment, names: list[str]) -> str:
    return ', '.join(f'{name} {env.version(name)}' for name in names)


def toolboxes(env: Environment) -> Answer | None:
    """Can each toolbox that is installed be imported, and what reads masks?"""
    names = ('pycocotools', *OPENMMLAB)
    tried = {name: env.probes[name] for name in names if env.probes[name].missing != name}
    for name, probe in tried.items():
        if probe.error:
            again = '--force-reinstall --no-deps pycocotools'
            wanted = again if name == 'pycocotools' else "--upgrade 'vitbackbones[onedl]'"
            remedy = f'pip install {probe.missing or wanted}'
            return 'problem', f'import {name}: {probe.error}', remedy
    return ('ok', ', '.join(tried)) if tried else None


def disk(env: Environment) -> Answer:
    """Can checkpoints and downloads be written, and is there space for them?"""
    if env.read_only:
        text = f'no permission to write into {", ".join(env.read_only)}'
        remedy = 'export TORCH_HOME=$HOME/.cache/torch, and start in a folder of yours'
        return 'problem', text, remedy
    folder, free = min(env.free.items(), key=lambda pair: pair[1])
    text = f'{free / 2**30:.1f} GB free in {folder}'
    if free < LEAST_FREE:
        return 'problem', text, 'pip cache purge, or a --work-dir on another disk'
    return 'ok', text


CHECKS: dict[str, Callable[[Environment], Answer | None]] = {
    'python': python,
    'vitbackbones': package,
    'torch': torch,
    'torchvision': torchvision,
    'numpy': numpy,
    'opencv': opencv,
    'openmmlab': family,
    'toolboxes': toolboxes,
    'disk': disk,
}


def examine(env: Environment) -> Iterator[Finding]:
    """Yield what each check found, in the order of the table; what does not apply is left out."""
    for name, check in CHECKS.items():
        answer = check(env)
        if answer is not None:
            yield Finding(name, *answer)


def installation_fault() -> str:
    """Return what metadata alone shows to be wrong, with what to type; '' where nothing is.

    It explains an import that failed, such as ``operator torchvision::nms does not exist``.
    """
    env = Environment(sys.version_info[:2], installed_packages())
    state, *answer = family(env)
    text, remedy = answer if state == 'problem' else torch_pair(env) or ('', '')
    return f"{text}; type: {remedy} ('vitbackbones doctor' looks at everything)" if text else ''


def import_needed(module: str, verb: str) -> ModuleType:
    """Return a module of this package that a verb needs.

    Raises:
        InputError: a package that it needs is not installed, or what is installed does not fit.
    """
    try:
        return import_module(f'vitbackbones.{module}')
    except ModuleNotFoundError as error:
        raise InputError(
            f'{verb} needs the package {error.name}, which is not installed; '
            "install all that the commands need: pip install 'vitbackbones[all]'"
        ) from error
    except Exception as error:  # of any kind, from the packages that do not fit
        fault = installation_fault()
        if fault:
            raise InputError(f'{verb} cannot be imported: {fault}') from error
        raise
