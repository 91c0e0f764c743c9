"""Imports that are tried in processes of their own, as a broken one may end its process.

A probe is a short program. Its last line of output is what it found out, as JSON.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

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
NMS = 'torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)'
PROBES = {
    'torch': TORCH,
    'torchvision': f'import torch, torchvision; {NMS}; print("{{}}")',
    'cv2': OPENCV,
    'pycocotools': 'import pycocotools.mask; print("{}")',
    **{
        name: f'import {name}; print("{{}}")'
        for name in ('mmengine', 'mmcv', 'mmdet', 'mmseg', 'mmpretrain')
    },
}


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
