"""What is kept of an error that nobody foresaw: a file with all that a report of it needs."""

import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING

from ..utils import started
from ..utils.frames import nearest
from ..utils.packages import versions

if TYPE_CHECKING:
    from mmengine.config import Config


def write_report(error: BaseException, config: 'Config | None' = None) -> Path:
    """Write traceback, command, versions and config to a file of the work dir.

    Without a work dir, or where it cannot be written to, the file lies in a temporary folder. The
    config is by default the one of the function nearest to the error that holds one.
    """
    if config is None and 'mmengine.config' in sys.modules:  # else none was read
        config = nearest(error, sys.modules['mmengine.config'].Config)
    lines = [''.join(traceback.format_exception(error)), f'command: {started.words()}']
    lines += [f'on: {platform.platform()}', *versions(), '']
    if config is None:
        lines.append('no config was read')
    else:
        lines += [f'{config.filename}:', pformat(config.to_dict())]
    text = '\n'.join(lines)
    name = f'error_{time.strftime("%Y%m%d_%H%M%S")}_{os.getpid()}.txt'
    try:
        file = Path(config.work_dir, name)
        file.write_text(text, 'utf-8', 'backslashreplace')
    except (AttributeError, TypeError, OSError):
        file = Path(tempfile.mkdtemp(prefix='vitbackbones_'), name)
        file.write_text(text, 'utf-8', 'backslashreplace')
    return file
