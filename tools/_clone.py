"""The clone that the tools lie in: they import its package unless one is installed.

Each tool imports this module before anything of the package.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if find_spec('vitbackbones') is None:
    sys.path.insert(0, str(ROOT))
