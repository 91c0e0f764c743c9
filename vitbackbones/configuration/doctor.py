"""``vitbackbones doctor``: what can be wrong with an environment, and what to type.

Imports are tried in processes of their own, as a broken one may end its process. Each check reads
collected facts alone, so that a test can make up any machine.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import InputError
from ..utils.packages import OPENMMLAB
from ..version import __version__

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

# ------------------------------------------------------------------------ facts

SECONDS = 180  # importing torch from a cold network drive takes a minute

TORCH = """
import json, torch
fault = ''
if torch.version.cuda and not torch.cuda.is_available():
    try:
        torch.zeros(1, device='cuda')
    except Exception as error:
        fault = str(error).strip().splitlines()[0]
mps = ["Apple's GPU (mps)"] if torch.backends.mps.is_available() else []
gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
print(json.dumps(dict(cuda=torch.version.cuda, gpus=gpus or mps, fault=fault)))
"""
OPENCV = """
import json, cv2, numpy
cv2.resize(numpy.zeros((2, 2, 3), numpy.uint8), (4, 4))
print(json.dumps(dict(version=cv2.__version__)))
"""
VISION = """
import torch, torchvision
torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)
print({})
"""
# short programs, whose last line of output is what they found out, as JSON
PROBES = {'torch': TORCH, 'torchvision': VISION, 'cv2': OPENCV}
PROBES['pycocotools'] = 'import pycocotools.mask; print({})'
PROBES |= {name: f'import {name}; print({{}})' for name in OPENMMLAB}


@dataclass(frozen=True)
class Probe:
    """What a probe answered."""

    error: str = ''  # the last line of the traceback; empty where all went well
    answers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def missing(self) -> str:
        """The module that is not installed; empty where that is not the error."""
        found = re.match("ModuleNotFoundError: No module named '([^']+)'", self.error)
        return found[1] if found else ''


def probe(program: str) -> Probe:
    """Run a program in a process of its own."""
    command = [sys.executable, '-W', 'ignore', '-c', program]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, errors='replace', timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Probe(f'no response within {SECONDS} seconds')
    if ended.returncode == 0:
        return Probe(answers=json.loads(ended.stdout.splitlines()[-1]))
    if ended.returncode < 0:
        return Probe(f'the process was killed by {signal.Signals(-ended.returncode).name}')
    lines = ended.stderr.strip().splitlines()
    raised = [line for line in lines if line and not line[0].isspace() and 'Error' in line]
    return Probe((raised or lines or [f'exit status {ended.returncode}'])[-1])


@dataclass(frozen=True)
class Installed:
    """One installation of a package."""

    version: str  # as its metadata says
    requires: tuple[str, ...] = ()  # what it asks for, as 'torch==2.11.0'


@dataclass(frozen=True)
class Environment:
    """What is installed for an interpreter, and whether it works."""

    packages: Mapping[str, Installed]  # by pip's names
    probes: Mapping[str, Probe] = field(default_factory=dict)  # what came of importing, by module
    gpu: bool = False  # whether the machine has a GPU of NVIDIA
    running: str = str(Path(__file__).resolve().parents[2])  # the folder of this package
    clone: str = ''  # the current folder, where it is a clone of this package

    def version(self, name: str) -> str:
        """Return the version that is imported, '' where the package is not installed."""
        return self.packages[name].version if name in self.packages else ''


def look() -> Environment:
    """Return the environment of this process."""
    with ThreadPoolExecutor(max_workers=2) as pool:  # importing is half reading
        probes = dict(zip(PROBES, pool.map(probe, PROBES.values()), strict=True))
    gpu = any(Path('/dev').glob('nvidia[0-9]*')) or shutil.which('nvidia-smi') is not None
    here = Path.cwd().resolve()
    clone = str(here) if (here / 'vitbackbones' / 'version.py').is_file() else ''
    return Environment(installed_packages(), probes, gpu, clone=clone)


def installed_packages() -> dict[str, Installed]:
    """Return what is installed by its name, as it is imported: the first on ``sys.path``."""
    found: dict[str, Installed] = {}
    for each in distributions():
        try:
            name, version = each.metadata['Name'], each.metadata['Version']
        except (UnicodeDecodeError, KeyError):  # damaged; Python 3.10 to 3.13 return None
            continue
        if name and version:  # neither is in what a broken uninstallation leaves behind
            made = Installed(version, tuple(each.requires or ()))
            found.setdefault(re.sub('[-_.]+', '-', name).lower(), made)
    return found


# ------------------------------------------------------------------------ checks


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    check: str
    state: str  # 'ok', 'note' (it works; something better is possible) or 'problem'
    text: str  # what is there, and what is wrong with it
    remedy: str = ''  # what to type; empty where there is nothing to do


Answer = tuple[str, str, str] | tuple[str, str]  # state, text, remedy


def package(env: Environment) -> Answer:
    """Is the package that runs the one of the clone that the user is in?"""
    text = f'{__version__} from {env.running}'
    if env.clone in ('', env.running):
        return 'ok', text
    return 'note', f'{text}, not {env.clone}', f"pip install --no-deps --editable '{env.clone}'"


def torch(env: Environment) -> Answer:
    """Can torch be imported, and does it find the GPU?"""
    probe = env.probes['torch']
    version = env.version('torch')
    if probe.missing == 'torch':
        return 'problem', 'not installed', 'pip install torch torchvision'
    if probe.error:
        return 'problem', f'torch {version}: {probe.error}', _torch_again(env)
    answers = probe.answers
    if answers['gpus'] or not env.gpu:
        return 'ok', f'{version} on {", ".join(answers["gpus"]) or "the CPU"}'
    if not answers['cuda']:
        text = f'{version} is built without CUDA, but this machine has an NVIDIA GPU'
        return 'problem', text, 'pip install --force-reinstall torch torchvision'
    text = f'{version} for CUDA {answers["cuda"]} does not find the GPU: {answers["fault"]}'
    remedy = (
        'nvidia-smi (it shows the CUDA version of the driver; newer drivers also run older '
        'CUDA versions)'
    )
    return 'problem', text, remedy


def torchvision(env: Environment) -> Answer | None:
    """Are torch and torchvision a pair?"""
    if 'torchvision' not in env.packages:
        return None
    fault = unequal_pair(env)
    error = env.probes['torchvision'].error
    if not fault and error and not env.probes['torch'].error:
        fault = f'import torchvision: {error}'
    if fault:
        return 'problem', fault, _torch_again(env)
    return 'ok', f'{env.version("torchvision")}, built for this torch'


def unequal_pair(env: Environment) -> str:
    """Return what is wrong with torch beside torchvision by their metadata, '' where nothing is."""
    there, local = env.version('torch').partition('+')[::2]
    vision, others = env.version('torchvision').partition('+')[::2]
    if not there or not vision:
        return ''
    requires = ' '.join(env.packages['torchvision'].requires)
    found = re.search(r'\btorch\s*\(?==\s*([\d.]+)', requires)
    if found and found[1] != there:
        return f'torchvision {vision} is built for torch {found[1]}, but torch is {there}'
    if local and others and local != others:
        return f'torch is built for {local}, but torchvision for {others}'
    return ''


def _torch_again(env: Environment) -> str:
    there, local = env.version('torch').partition('+')[::2]
    index = f' --index-url https://download.pytorch.org/whl/{local}' if local else ''
    return f"pip install --force-reinstall 'torch=={there}' torchvision{index}"


def opencv(env: Environment) -> Answer:
    """Can cv2 be imported, as on a server without libGL, and is there one installation of it?"""
    there = [name for name in OPENCVS if name in env.packages]
    names = _versions(env, there)
    probe = env.probes['cv2']
    if probe.missing == 'cv2':
        return 'problem', 'not installed', 'pip install opencv-python-headless'
    again = 'pip install --no-deps --upgrade opencv-python-headless'  # for the numpy that is there
    remedy = f'pip uninstall -y {" ".join(there)} && {again}' if there else again
    if probe.error:
        return 'problem', f'{names}: {probe.error}', remedy
    if len(there) < 2:
        return 'ok', probe.answers['version']
    state = 'note' if len({env.version(name) for name in there}) == 1 else 'problem'
    in_force = f'{probe.answers["version"]} is in use'
    return state, f'{names} install the same files; {in_force}', remedy


def family(env: Environment) -> Answer:
    """Is there one family of OpenMMLab?"""
    originals = [name for name in ORIGINAL if name in env.packages]
    onedl = [name for name in ONEDL if name in env.packages]
    if originals and onedl:
        names = f'{_versions(env, onedl)} and {_versions(env, originals)}'
        text = f'{names} install the same modules, so it is random which of them is imported'
        again = ' '.join(onedl)
        both = ' '.join([*onedl, *originals])
        return 'problem', text, f'pip uninstall -y {both} && pip install --no-deps {again}'
    if not originals and not onedl:
        text = 'not installed; models by name work, but training and inference require a toolbox'
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


CHECKS: dict[str, Callable[[Environment], Answer | None]] = {
    'vitbackbones': package,
    'torch': torch,
    'torchvision': torchvision,
    'opencv': opencv,
    'openmmlab': family,
    'toolboxes': toolboxes,
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
    env = Environment(installed_packages())
    state, text, *remedy = family(env)
    if state != 'problem':
        text = unequal_pair(env)
        remedy = [_torch_again(env)]
    return f"{text}; type: {remedy[0]} ('vitbackbones doctor' checks everything)" if text else ''


def import_needed(module: str, verb: str) -> ModuleType:
    """Return a module of this package that a verb needs.

    Raises:
        InputError: a package that it needs is not installed, or what is installed does not fit.
    """
    try:
        return import_module(f'vitbackbones.{module}')
    except ModuleNotFoundError as error:
        if str(error.name).startswith('vitbackbones.'):
            raise InputError(
                f'{verb}: vitbackbones-runtime only runs exported files. For other commands: '
                '"pip uninstall vitbackbones-runtime", then "pip install \'vitbackbones[all]\'"'
            ) from error
        raise InputError(
            f'{verb} requires the package {error.name}, which is not installed; install the '
            "packages of all commands: pip install 'vitbackbones[all]'"
        ) from error
    except Exception as error:  # of any kind, from the packages that do not fit
        fault = installation_fault()
        if fault:
            raise InputError(f'{verb} cannot be imported: {fault}') from error
        raise
