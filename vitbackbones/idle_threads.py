"""Let the threads that torch computes with sleep soon when they have to wait.

After each part of a computation torch's threads wait for the last of them. GNU's OpenMP, which
torch brings along on Linux, lets them wait actively before they sleep: 300 000 turns of a loop, 16
ms where a turn takes 140 cycles. If another program has one of the cores, the thread that shares it
is late at every part. The others burn their cores meanwhile, so the system sees no idle core to
move it to: beside one busy process a training step of the demo took 11 to 16 times as long on two
cores, 3.5 times as long with the number below. On idle cores that number costs 5 percent, within
the spread of single steps. Threads that sleep at once took 1.8 times as long there, because the
system has to wake them each time.
"""

from collections.abc import MutableMapping

TURNS = '10000'
# how users choose for themselves; the library reads these when it is loaded, which is with torch
SETTINGS = ('GOMP_SPINCOUNT', 'OMP_WAIT_POLICY')


def sleep_soon(environment: MutableMapping[str, str]) -> None:
    """Set how long threads wait actively, unless ``environment`` does, before torch is imported."""
    if not any(name in environment for name in SETTINGS):
        environment['GOMP_SPINCOUNT'] = TURNS
