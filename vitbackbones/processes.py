"""Which of a run's processes this one is, and who speaks for all of them."""

import os
import sys


def process_rank() -> int:
    """Return the rank that the launcher gave this process, known before the process group is."""
    return int(os.environ.get('RANK') or os.environ.get('SLURM_PROCID') or 0)


def leads_machine() -> bool:
    """Return whether this process is the first of its machine, which checks and speaks for all."""
    return int(os.environ.get('LOCAL_RANK') or os.environ.get('SLURM_LOCALID') or 0) == 0


def show_warnings(warnings: list[str]) -> None:
    """Print what deserves attention but stops nothing, one line each."""
    for warning in warnings if process_rank() == 0 else ():
        print(f'warning: {warning}', file=sys.stderr)
