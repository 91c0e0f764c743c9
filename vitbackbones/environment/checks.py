"""What can be wrong with an environment, and what to type.

Each check reads collected facts alone (:class:`~vitbackbones.environment.facts.Environment`), so
that a test can make up any machine.
"""

import platform
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..pages import page
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
    """What one check found.

    Attributes:
        state: 'ok', 'note' (it works; something better is possible) or 'problem'.
        text: what is there, and what is wrong with it.
        remedy: what to type; empty where there is nothing to do.
    """

    check: str
    state: str
    text: str
    remedy: str = ''


Answer = tuple[str, str, str] | tuple[str, str]  # state, text, remedy


def python(env: Environment) -> Answer:
    """Is this a version of Python that all packages have releases for?"""
    name = '.'.join(map(str, env.python))
    if PYTHONS[0] <= env.python <= PYTHONS[1]:
        return 'ok', name
    oldest, newest = ('.'.join(map(str, each)) for each in PYTHONS)
    text = f'{name} is not supported, {oldest} to {newest} are'
    return 'problem', text, 'python3.12 -m venv .venv'


def package(env: Environment) -> Answer:
    """Is the package that runs the one that the user looks at?"""
    running = f'{env.running.version} from {env.running.root}'
    others = [*env.packages.get('vitbackbones', ()), *filter(None, [env.clone])]
    other = next((each for each in others if each.root != env.running.root), None)
    if other is None:
        return 'ok', running
    state = 'note' if other.version == env.running.version else 'problem'
    text = f'{running} runs, and there is {other.version} in {other.root}'
    clone = env.clone.root if env.clone else other.root
    remedy = f"pip uninstall -y vitbackbones && pip install --no-deps --editable '{clone}'"
    return state, text, remedy


def family(env: Environment) -> Answer:
    """Is there one family of OpenMMLab, whole?"""
    originals = [name for name in ORIGINAL if name in env.packages]
    onedl = [name for name in ONEDL if name in env.packages]
    if originals and onedl:
        text = (
            f'{_versions(env, onedl)} and {_versions(env, originals)} install the same modules; '
            'which files are there is chance'
        )
        again = ' '.join(onedl)
        remedy = (
            f'pip uninstall -y {" ".join([*onedl, *originals])} && pip install --no-deps {again}'
        )
        return 'problem', text, remedy
    if not originals and not onedl:
        text = 'not installed: models by name work; training and predicting need a toolbox'
        return 'note', text, "pip install 'vitbackbones[onedl]'"
    return 'ok', _versions(env, [*onedl, *originals])


def _versions(env: Environment, names: list[str]) -> str:
    return ', '.join(f'{name} {env.version(name)}' for name in names)


def toolboxes(env: Environment) -> Answer | None:
    """Can each toolbox that is installed be imported?"""
    modules = ('mmengine', 'mmcv', 'mmdet', 'mmseg', 'mmpretrain')
    tried = {name: env.probes[name] for name in modules if name in env.probes}
    faults = {
        name: probe.error for name, probe in tried.items() if probe.error and probe.missing != name
    }
    for name, error in faults.items():
        missing = tried[name].missing
        remedy = (
            f'pip install {missing}' if missing else "pip install --upgrade 'vitbackbones[onedl]'"
        )
        return 'problem', f'import {name}: {error}', remedy
    there = [name for name, probe in tried.items() if not probe.error]
    return ('ok', ', '.join(there)) if there else None


def operators(env: Environment) -> Answer | None:
    """Are mmcv's compiled operators there, or this package's in their place?"""
    answers = env.probes['mmcv'].answers if 'mmcv' in env.probes else {}
    if not answers:
        return None
    if answers['compiled']:
        return 'ok', "mmcv's compiled ones"
    return 'ok', f'served by vitbackbones, without a compiler ({page("operators")})'


def torch(env: Environment) -> Answer:
    """Can torch be imported, and does it find the GPU?"""
    probe, version = env.probes['torch'], env.version('torch')
    if probe.missing == 'torch':
        return 'problem', 'not installed', 'pip install torch torchvision'
    if probe.error:
        remedy = f"pip install --force-reinstall 'torch=={version}' torchvision"
        return 'problem', f'torch {version}: {probe.error}', remedy
    return _device(env, version)


def _device(env: Environment, version: str) -> Answer:
    answers = env.probes['torch'].answers
    if answers['gpus']:
        return 'ok', f'{version} on {", ".join(answers["gpus"])}'
    if answers['mps']:
        return 'ok', f"{version} on Apple's GPU (mps)"
    if env.variables.get('CUDA_VISIBLE_DEVICES') in ('', '-1'):
        return 'note', f'{version} on the CPU: CUDA_VISIBLE_DEVICES hides all GPUs'
    if not env.gpu:
        return 'ok', f'{version} on the CPU'
    if not answers['cuda']:
        text = f'{version} knows no CUDA, and there is a GPU of NVIDIA'
        return 'problem', text, 'pip install --force-reinstall torch torchvision'
    text = f'{version} for CUDA {answers["cuda"]} does not find the GPU: {answers["fault"]}'
    return (
        'problem',
        text,
        'nvidia-smi, which names the CUDA of the driver; newer drivers run older CUDA',
    )


def torchvision(env: Environment) -> Answer | None:
    """Are torch and torchvision a pair?"""
    if 'torchvision' not in env.packages:
        return None
    fault = torch_pair(env)
    probe = env.probes['torchvision']
    if fault is None and probe.error and not env.probes['torch'].error:
        fault = f'import torchvision: {probe.error}', _same_again(env)
    return (
        ('problem', *fault)
        if fault
        else ('ok', f'{env.version("torchvision")}, made for this torch')
    )


def torch_pair(env: Environment) -> tuple[str, str] | None:
    """Return what is wrong with torch beside torchvision, by their metadata, and what to type."""
    there, local = env.version('torch').partition('+')[::2]
    vision, others = env.version('torchvision').partition('+')[::2]
    if not there or not vision:
        return None
    requires = env.packages['torchvision'][0].requires
    asked = filter(None, (re.match(r'torch\s*\(?==\s*([\d.]+)', each) for each in requires))
    wanted = next((found[1] for found in asked), there)
    if wanted != there:
        text = f'torchvision {vision} is made for torch {wanted}, and torch is {there}'
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


def opencv(env: Environment) -> Answer | None:
    """Can cv2 be imported, and is there one installation of it?"""
    there = [name for name in OPENCVS if name in env.packages]
    probe = env.probes['cv2']
    if probe.missing == 'cv2':
        return 'problem', 'not installed', 'pip install opencv-python-headless'
    release = f'=={env.version(there[-1])}' if there else ''
    remedy = f'pip install --no-deps --force-reinstall opencv-python-headless{release}'
    remedy = f'pip uninstall -y {" ".join(there)} && {remedy}' if there else remedy
    if re.search(r'lib(GL|gthread|glib|SM|Xext)', probe.error):
        text = f'{_versions(env, there)} needs a library of the screen: {probe.error}'
        return 'problem', text, remedy
    if probe.error:
        return 'problem', f'import cv2: {probe.error}', remedy
    if len({env.version(name) for name in there}) > 1:
        text = f'{_versions(env, there)} write the same files; cv2 says {probe.answers["version"]}'
        return 'problem', text, remedy
    kind = 'headless' if probe.answers['headless'] else 'for a screen'
    if len(there) > 1:
        text = f'{_versions(env, there)} write the same files; those in force are {kind}'
        return 'note', text, remedy
    return 'ok', f'{probe.answers["version"]}, {kind}'


def pycocotools(env: Environment) -> Answer | None:
    """Can COCO's masks be read?"""
    probe = env.probes['pycocotools']
    if not probe.error:
        return 'ok', env.version('pycocotools')
    if probe.missing:
        return 'note', f'no {probe.missing}: detection needs it', f'pip install {probe.missing}'
    again = 'pip install --force-reinstall --no-deps --no-cache-dir pycocotools'
    return 'problem', f'import pycocotools: {probe.error}', again


def disk(env: Environment) -> Answer:
    """Is there space for checkpoints and downloads?"""
    folder, free = min(env.free.items(), key=lambda pair: pair[1])
    text = f'{free / 2**30:.1f} GB free in {folder}'
    if free >= LEAST_FREE:
        return 'ok', text
    return 'problem', text, 'pip cache purge, or a --work-dir on another disk'


def folders(env: Environment) -> Answer:
    """Can results and downloads be written?"""
    if not env.read_only:
        return 'ok', 'results and downloads can be written'
    text = f'no permission to write into {", ".join(env.read_only)}'
    return 'problem', text, 'export TORCH_HOME=$HOME/.cache/torch, and start in a folder of yours'


def cores(env: Environment) -> Answer:
    """Does torch start no more threads than there are cores?"""
    for name in ('OMP_NUM_THREADS', 'MKL_NUM_THREADS'):
        value = env.variables.get(name, '1')
        if not value.isdecimal() or not 1 <= int(value) <= env.cores:
            return 'problem', f'{name}={value} for {env.cores} cores', f'unset {name}'
    return 'ok', f'{env.cores}'


def workers(env: Environment) -> Answer:
    """Can data workers be forked, which starts them in milliseconds?"""
    if 'fork' in env.start_methods:
        return 'ok', 'forked'
    return 'note', 'this system cannot fork: tools run under WSL 2 only; models by name work'


CHECKS: dict[str, Callable[[Environment], Answer | None]] = {
    'python': python,
    'vitbackbones': package,
    'torch': torch,
    'torchvision': torchvision,
    'numpy': numpy,
    'opencv': opencv,
    'pycocotools': pycocotools,
    'openmmlab': family,
    'toolboxes': toolboxes,
    'mmcv operators': operators,
    'disk': disk,
    'folders': folders,
    'cores': cores,
    'data workers': workers,
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
    env = Environment(sys.version_info[:2], platform.system(), installed_packages())
    state, *answer = family(env)
    text, remedy = answer if state == 'problem' else torch_pair(env) or ('', '')
    return f"{text}; type: {remedy} ('vitbackbones doctor' looks at everything)" if text else ''
