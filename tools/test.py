"""``vitbackbones test`` of this clone; --help says what it takes."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # before an installed package

from vitbackbones.commands.main import run_verb

if __name__ == '__main__':
    sys.exit(run_verb('test', sys.argv[1:]))
