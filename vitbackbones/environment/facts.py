"""What ``vitbackbones doctor`` looks at, collected without an import that may be broken."""

import json
import multiprocessing
import os
import platform
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distributions
from pathlib import Path
from urllib.parse import unquote, urlparse

from ..version import __version__
from .probes import PROBES, Probe, run_probes

ROOT = Path(__file__).resolve().parents[2]  # the folder that this package lies in
VARIABLES = ('OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'CUDA_VISIBLE_DEVICES')


@dataclass(frozen=True)
class Installed:
    """One installation of a package.

    Attributes:
        version: as its metadata says.
        root: the folder that its modules are imported from.
        requires: what it asks for, as 'torch==2.11.0'.
    """

    version: str
    root: str = ''
    requires: tuple[str, ...] = ()


@dataclass(frozen=True)
class Environment:
    """An interpreter, what is installed for it, and its machine.

    Attributes:
        python: the interpreter's version.
        system: 'Linux', 'Darwin' or 'Windows'.
        packages: installations by the name that pip gives; in order of ``sys.path``.
        probes: what came of importing, by module.
        running: this package, as it was imported.
        clone: the clone that the current folder is, where that is one.
        gpu: whether the machine has a GPU of NVIDIA.
        free: bytes that are free, by folder.
        read_only: folders that should take files and do not.
        cores: that this process may use.
        variables: those of the environment that change how much is computed at once.
        start_methods: how data workers can be started.
    """

    python: tuple[int, int]
    system: str
    packages: Mapping[str, tuple[Installed, ...]]
    probes: Mapping[str, Probe] = field(default_factory=dict)
    running: Installed = Installed(__version__)
    clone: Installed | None = None
    gpu: bool = False
    free: Mapping[str, int] = field(default_factory=dict)
    read_only: tuple[str, ...] = ()
    cores: int = 1
    variables: Mapping[str, str] = field(default_factory=dict)
    start_methods: tuple[str, ...] = ('fork', 'spawn')

    def version(self, name: str) -> str:
        """Return the version that is imported, '' where the package is not installed."""
        return self.packages[name][0].version if name in self.packages else ''


def look(probes: Mapping[str, str] = PROBES) -> Environment:
    """Return the environment of this process, with what the probes found out."""
    here, cache = Path.cwd(), cache_folder()
    return Environment(
        python=sys.version_info[:2],
        system=platform.system(),
        packages=installed_packages(),
        probes=run_probes(probes),
        running=Installed(__version__, str(ROOT)),
        clone=clone_in(here),
        gpu=any(Path('/dev').glob('nvidia[0-9]*')) or shutil.which('nvidia-smi') is not None,
        free={str(folder): shutil.disk_usage(folder).free for folder in (here, existing(cache))},
        read_only=tuple(
            str(folder)
            for folder in (here, cache)
            if not os.access(existing(folder), os.W_OK | os.X_OK)
        ),
        cores=usable_cores(),
        variables={name: os.environ[name] for name in VARIABLES if name in os.environ},
        start_methods=tuple(multiprocessing.get_all_start_methods()),
    )


def installed_packages() -> dict[str, tuple[Installed, ...]]:
    """Return every installation by its name, each folder once.

    Two on the path are both there, as a wheel beside a clone.
    """
    found: dict[str, dict[str, Installed]] = {}
    for each in distributions():
        name, version = _label(each)
        if not (name and version):  # what a broken uninstallation leaves behind
            continue
        root = str(_root(each))
        made = Installed(version, root, tuple(each.requires or ()))
        found.setdefault(re.sub('[-_.]+', '-', name).lower(), {}).setdefault(root, made)
    return {name: tuple(by_root.values()) for name, by_root in found.items()}


def _label(distribution: Distribution) -> tuple[str | None, str | None]:
    """Return name and version, None where metadata is damaged."""
    try:
        return distribution.metadata['Name'], distribution.metadata['Version']
    except (UnicodeDecodeError, KeyError):  # Python 3.10 to 3.13 return None, later ones raise
        return None, None


def _root(distribution: Distribution) -> Path:
    """Return the folder that modules come from: for an editable installation, its clone."""
    try:
        source = json.loads(distribution.read_text('direct_url.json') or '{}')
        if source.get('dir_info', {}).get('editable'):
            return Path(unquote(urlparse(source['url']).path)).resolve()
    except (ValueError, AttributeError, TypeError, KeyError):  # not written by an installer
        pass
    return Path(distribution.locate_file('')).resolve()


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


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    affinity = getattr(os, 'sched_getaffinity', None)  # Linux only
    return len(affinity(0)) if affinity else os.cpu_count() or 1
