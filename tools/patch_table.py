"""Write docs/compatibility.md: the patches of other packages, from the table that applies them.

python tools/patch_table.py
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.openmmlab import patches

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / 'docs' / 'compatibility.md'
INTRODUCTION = """\
# Compatibility

This page lists the supported releases of OpenMMLab, and every change that is made to them.
Made by `python tools/patch_table.py`; a test compares it with the table that is applied.

**Supported releases.** Two families of OpenMMLab share their import names; one of them belongs
in an environment.

| family | mmengine | mmcv | mmdet | mmseg | mmpretrain |
| --- | --- | --- | --- | --- | --- |
| onedl (continued), `pip install '.[onedl]'` | 0.10.12 | 2.3.6 | 3.5.1 | 1.4.2 | 1.3.6 |
| original, `pip install '.[openmmlab]'` | 0.10.7 | mmcv-lite 2.1.0 | 3.3.0 | 1.2.2 | 1.2.0 |

These are the tested releases (`constraints*.txt`), and the lowest ones. Python 3.10 to 3.14,
torch 2.6 or later. The core (`import vitbackbones`, its models, checkpoints and
`fuse_for_inference`) needs torch alone and runs without any of them.

**Patches.** What OpenMMLab lacks or gets wrong is replaced in the running process, never on
disk. The table below is complete: nothing else in this package changes a module of another one.
`import vitbackbones` imports nothing of OpenMMLab, but where mmdet or mmseg were imported before
it: then they get the operators of mmcv that they missed. Each patch is applied right after the
import of the module that it concerns, whoever imports it, or at once if that was before. What a
script has already imported by `from mmseg.apis import inference_model` works, too.

A target that a release does not have, because it was renamed or fixed, or that takes other
arguments, is skipped: the toolbox still imports. Where the safety of loading rests on it, a
warning names the release and what is not protected.

To see what was applied and what was skipped:

```python
import logging

log = logging.getLogger('vitbackbones.openmmlab')
log.setLevel(logging.DEBUG)
log.addHandler(logging.StreamHandler())
import vitbackbones, mmdet.models
```

"""
HEADINGS = {
    'What imports, and what is left out': patches.IMPORTS,
    'What toolboxes import without need': patches.OTHER_TOOLBOXES,
    'Messages': patches.MESSAGES,
    'Configs by name': patches.NAMED_CONFIGS,
    'Loading': patches.LOADING,
    'Inference functions': patches.INFERENCE,
    'Runs': patches.RUNS,
    'Scripts of the toolboxes': patches.SCRIPTS,
}
COLUMNS = ('target', 'what is wrong', 'what is done', 'releases', 'when')


def row(patch: patches.Patch) -> tuple[str, ...]:
    """Return the cells of a patch."""
    target = patch.target.replace(':', '.')
    releases = patch.releases if patch.releases == patches.ALL else f'{patch.releases} only'
    return f'`{target}`', patch.wrong, patch.done, releases, patch.when


def table() -> str:
    """Return the text of the file."""
    text = INTRODUCTION
    for heading, entries in HEADINGS.items():
        rows = [COLUMNS, ('---',) * len(COLUMNS), *map(row, entries)]
        lines = [f'| {" | ".join(cells)} |\n' for cells in rows]
        text += f'## {heading}\n\n{"".join(lines)}\n'
    return text.rstrip('\n') + '\n'


def main() -> None:
    TARGET.write_text(table())


if __name__ == '__main__':
    ArgumentParser(description=__doc__).parse_args()
    main()
