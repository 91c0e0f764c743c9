"""What other toolboxes call an option, for the message on a word that is none here."""

import csv
from collections.abc import Collection, Iterable
from pathlib import Path

# Options and arguments, and their words elsewhere, without dashes.
with open(Path(__file__).with_suffix('.csv'), newline='', encoding='utf-8') as _rows:
    ELSEWHERE = {row['option']: row['words'] for row in csv.DictReader(_rows)}


def advice(words: Iterable[str], known: Collection[str]) -> str:
    """Return what to write in place of ``--imgsz`` or ``imgsz=640``; '' where nothing is known.

    Args:
        words: of a command line.
        known: options and arguments of the verb.

    >>> advice(['--imgsz', '640', 'epochs=50'], ['--size', '--epochs'])
    '; use --size instead of --imgsz, --epochs instead of epochs='
    """
    meant = {}
    for word in words:
        name = word[: word.find('=') + 1] or word  # with the "=" in "epochs=50"
        bare = name.strip('-=').replace('_', '-')
        for here in known if name != bare else ():
            if here == f'--{bare}' or bare in ELSEWHERE.get(here, '').split():
                meant[name] = here
    replaced = ', '.join(f'{here} instead of {name}' for name, here in meant.items())
    return f'; use {replaced}' if replaced else ''
