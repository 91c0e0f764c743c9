"""``python -m vitbackbones COMMAND ...``, for a clone that is not installed."""

import sys

from .commands.main import main

if __name__ == '__main__':
    sys.exit(main())
