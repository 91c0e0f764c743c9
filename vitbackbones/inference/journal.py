"""A file with all predictions so far, written after each batch.

``predictions.jsonl`` gets a line for every image and frame when its batch is answered, so that
nothing which stops a prediction takes more than that batch away. Beside it, ``settings.json`` says
what the lines were made with: only a prediction with the same settings goes on with them.

A continued prediction has the batches, and thus the bits, of one that was never stopped:

* ``"more": true`` in a line says that its batch goes on in the next one. A batch that was not
  written to its end is dropped.
* A video ends with a line of its own, ``{"file_name": ..., "frames": ...}``. Without it the whole
  video is done again.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError
from ..utils.files import write_file

LINES, SETTINGS = 'predictions.jsonl', 'settings.json'
# what settings were before there were words for them
EARLIER = {'--runtime': 'torch', '--no-pictures': False, '--tiles': None, '--track': False}
EARLIER |= {'--precision': 'auto'}
MORE = b'"more": true}\n'  # the end of a line that is not the last of its batch


class Journal:
    """The predictions in one folder of results, one line each.

    Args:
        folder: where they are.
        settings: what the predictions depend on, by the names that a user knows.
        resume: go on with the lines that are there, not from the beginning.

    Attributes:
        answered: names of the files that are done.

    Raises:
        InputError: there is nothing to resume, or it was made with other settings.
    """

    def __init__(self, folder: Path, settings: dict, resume: bool) -> None:
        self.path = folder / LINES
        lines: list[bytes] = []
        if resume:
            file = folder / SETTINGS
            if not file.is_file() or not self.path.is_file():
                raise InputError(
                    f'--resume: there is no prediction to continue in {folder}; remove --resume'
                )
            require_same(_parsed(file, file.read_bytes()), settings, str(folder))
            lines = _whole_batches(self.path)
        records = _records(self.path, lines)
        self.answered = {record['file_name'] for record in records if 'frame' not in record}
        done = [record['file_name'] in self.answered for record in records]
        kept = [line for line, is_done in zip(lines, done, strict=True) if is_done]
        write_file(self.path, b''.join(kept))
        write_file(folder / SETTINGS, json.dumps(settings, indent=1).encode())

    def add(self, records: Sequence[dict]) -> None:
        """Write the answers of a batch; each has a ``file_name``, and a ``frame`` of a video.

        Raises:
            InputError: the disk is full.
        """
        lines = [record | {'more': True} for record in records[:-1]] + [records[-1]]
        content = ''.join(json.dumps(line) + '\n' for line in lines)
        try:
            with open(self.path, 'ab') as file:
                file.write(content.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f'{self.path} cannot be written ({error.strerror})') from error

    def end_video(self, name: str, frames: int) -> None:
        """Note that a video is done."""
        self.add([{'file_name': name, 'frames': frames}])

    def read(self, names: Sequence[str]) -> list[dict]:
        """Return the records of files and their frames, in the order of ``names``."""
        places = {name: place for place, name in enumerate(names)}
        records = _records(self.path, _whole_batches(self.path))
        found = [r for r in records if r['file_name'] in places and 'frames' not in r]
        found = [{k: v for k, v in record.items() if k != 'more'} for record in found]
        return sorted(found, key=lambda record: places[record['file_name']])


def require_same(before: dict, settings: dict, folder: str) -> None:
    """Check that a prediction goes on with the settings that it was started with.

    Raises:
        InputError: one has changed.
    """
    earlier = EARLIER | before
    changed = [
        f'{key} was {earlier.get(key)} and is now {now}'
        for key, now in settings.items()
        if earlier.get(key) != now
    ]
    if changed:
        raise InputError(
            f'--resume: {folder} was started with other settings: {"; ".join(changed)}. '
            'Use the earlier settings, choose another folder, or start from the '
            'beginning with --overwrite.'
        )


def _whole_batches(path: Path) -> list[bytes]:
    """Return the lines up to the end of the last batch that was written as a whole."""
    lines = path.read_bytes().splitlines(keepends=True)
    while lines and (not lines[-1].endswith(b'}\n') or lines[-1].endswith(MORE)):
        lines.pop()
    return lines


def _records(path: Path, lines: Sequence[bytes]) -> list[dict]:
    """Read lines that name a file each."""
    records = [_parsed(path, line) for line in lines]
    if any(type(record.get('file_name')) is not str for record in records):
        raise InputError(
            f'{path} is damaged (a line without file_name); start again with --overwrite'
        )
    return records


def _parsed(path: Path, text: bytes) -> dict:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f'{path} is damaged ({error}); start again with --overwrite') from error
    if not isinstance(parsed, dict):
        raise InputError(f'{path} is damaged (not a JSON object); start again with --overwrite')
    return parsed
