"""The profiler writes nothing of its own on the console."""

import subprocess
import sys

MEASURE = """
import torch
from vitbackbones.benchmarking.timing import peak_bytes

print(peak_bytes(lambda: torch.ones(256), torch.device('cpu')))
"""


def test_the_profiler_says_nothing_and_still_counts():
    ended = subprocess.run([sys.executable, '-c', MEASURE], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ('1024\n', '')
