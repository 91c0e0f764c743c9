"""What ``vitbackbones doctor`` looks at, collected without an import that may be broken.

Imports are tried in processes of their own, as a broken one may end its process. A probe is a short
program. Its last line of output is what it found out, as JSON.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from ...utils.packages import OPENMMLAB
from ...version import __version__

ROOT = Path(__file__).resolve().parents[3]  # the folder that this package lies in
SECONDS = 180  # importing torch from a cold network drive takes a minute

TORCH = """
import json, torch
fault = ''
if torch.version.cuda and not torch.cuda.is_available():
    try:
        torch.zeros(1, device='cuda')
    except Exception as error:
        fault = str(error).strip().splitlines()[0]
mps = torch.backends.mps.is_available()
gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
print(json.dumps(dict(cuda=torch.version.cuda, gpus=gpus, fault=fault, mps=mps)))
"""
OPENCV = """
import json, cv2, numpy
cv2.resize(numpy.zeros((2, 2, 3), numpy.uint8), (4, 4))
headless = getattr(cv2.version, 'headless', False)
print(json.dumps(dict(version=cv2.__version__, headless=headless)))
"""
VISION = """
import torch, torchvision
torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)
print({})
"""
PROBES = {'torch': TORCH, 'torchvision': VISION, 'cv2': OPENCV}
PROBES['pycocotools'] = 'import pycocotools.mask; print({})'
PROBES |= {name: f'import {name}; print({{}})' for name in OPENMMLAB}


@dataclass(frozen=True)
class Probe:
    """What a probe answered.

    Attributes:
        error: the last line of the traceback; empty where all went well.
        answers: what was found out.
    """

    error: str = ''
    answers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def missing(self) -> str:
        """The module that is not installed; empty where that is not the error."""
        found = self.error.removeprefix('ModuleNotFoundError: No module named ')
        return '' if found == self.error else found.strip('\'"').partition("'")[0]


def probe(program: str) -> Probe:
    """Run a program in a process of its own."""
    command = [sys.executable, '-W', 'ignore', '-c', program]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, errors='replace', timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Probe(f'no answer within {SECONDS} seconds')
    if ended.returncode == 0:
        return Probe(answers=json.loads(ended.stdout.splitlines()[-1]))
    if ended.returncode < 0:
        return Probe(f'the process was ended by {signal.Signals(-ended.returncode).name}')
    lines = ended.stderr.strip().splitlines()
    raised = [line for line in lines if line and not line[0].isspace() and 'Error' in line]
    return Probe((raised or lines or [f'exit status {ended.returncode}'])[-1])


def run_probes(programs: Mapping[str, str] = PROBES) -> dict[str, Probe]:
    """Run programs two at a time; importing is half reading."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(programs, pool.map(probe, programs.values()), strict=True))


@dataclass(frozen=True)
class Installed:
    """One installation of a package."""

    version: str  # as its metadata says
    root: str = ''  # the folder that its modules are imported from
    requires: tuple[str, ...] = ()  # what it asks for, as 'torch==2.11.0'


@dataclass(frozen=True)
class Environment:
    """An interpreter, what is installed for it, and its machine."""

    python: tuple[int, int]
    packages: Mapping[str, Installed]  # by pip's names
    probes: Mapping[str, Probe] = field(default_factory=dict)  # what came of importing, by module
    running: Installed = Installed(__version__)  # this package, as it was imported
    clone: Installed | None = None  # that the current folder is
    gpu: bool = False  # whether the machine has a GPU of NVIDIA
    visible_gpus: str | None = None  # what CUDA_VISIBLE_DEVICES says
    free: Mapping[str, int] = field(default_factory=dict)  # bytes, by folder
    read_only: tuple[str, ...] = ()  # folders that should take files and do not

    def version(self, name: str) -> str:
        """Return the version that is imported, '' where the package is not installed."""
        return self.packages[name].version if name in self.packages else ''


def look(probes: Mapping[str, str] = PROBES) -> Environment:
    """Return the environment of this process, with what the probes found out."""
    folders = Path.cwd(), cache_folder()
    there = {str(folder): existing(folder) for folder in folders}
    return Environment(
        python=sys.version_info[:2],
        packages=installed_packages(),
        probes=run_probes(probes),
        running=Installed(__version__, str(ROOT)),
        clone=clone_in(Path.cwd()),
        gpu=any(Path('/dev').glob('nvidia[0-9]*')) or shutil.which('nvidia-smi') is not None,
        visible_gpus=os.environ.get('CUDA_VISIBLE_DEVICES'),
        free={str(folder): shutil.disk_usage(folder).free for folder in there.values()},
        read_only=tuple(
            name for name, folder in there.items() if not os.access(folder, os.W_OK | os.X_OK)
        ),
    )


def installed_packages() -> dict[str, Installed]:
    """Return what is installed by its name, as it is imported: the first on ``sys.path``."""
    found: dict[str, Installed] = {}
    for each in distributions():
        try:
            name, version = each.metadata['Name'], each.metadata['Version']
        except (UnicodeDecodeError, KeyError):  # damaged; Python 3.10 to 3.13 return None
            continue
        if name and version:  # neither is in what a broken uninstallation leaves behind
            made = Installed(version, requires=tuple(each.requires or ()))
            found.setdefault(re.sub('[-_.]+', '-', name).lower(), made)
    return found


def clone_in(folder: Path) -> Installed | None:
    """Return what a folder holds of this package."""
    file = folder / 'vitbackbones' / 'version.py'
    found = re.search(r"'([^']+)'", file.read_text(errors='replace')) if file.is_file() else None
    return Installed(found[1], str(folder.resolve())) if found else None


def cache_folder() -> Path:
    """Return where torch keeps downloaded files."""
    base = os.environ.get('XDG_CACHE_HOME', '~/.cache')
    return Path(os.environ.get('TORCH_HOME', f'{base}/torch')).expanduser()


def existing(folder: Path) -> Path:
    """Return the nearest folder above that exists, as a cache is made by its first file."""
    return next(each for each in (folder, *folder.absolute().parents) if each.is_dir())
