"""``vitbackbones page`` for a clone that is not installed; --help says what it takes."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.main import run_verb

if __name__ == '__main__':
    sys.exit(run_verb('page', sys.argv[1:]))
