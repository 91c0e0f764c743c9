"""Write docs/weights.md: what was published for which model, and how to fetch it.

python tools/weights_table.py
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.weights import LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED, Published

TARGET = Path(__file__).resolve().parents[1] / 'docs' / 'weights.md'
INTRODUCTION = """\
# Published weights

This page lists the published weights of each model, where they come from, and how to use them.
Made by `python tools/weights_table.py`; a test compares it with the table in the code.

```python
import vitbackbones

model = vitbackbones.create_model('deit_s', pretrained=True)
model = vitbackbones.create_model('deit_b', img_size=384, checkpoint='deit_b_384')
model = vitbackbones.create_model('deit_s', checkpoint='hf-hub:timm/deit_small_patch16_224.fb_in1k')
```

```bash
vitbackbones weights                 # the table
vitbackbones weights deit_s          # fetch one, and print where its file is
vitbackbones weights --check         # ask every address whether it answers
vitbackbones train detr_deit_s_coco --pretrained auto
```

A name works wherever a checkpoint is named: `checkpoint=` of `create_model`, `--pretrained NAME`,
and `init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='deit_s')` of a config. So do
`https://...` and `hf-hub:OWNER/NAME`, with `@REVISION`, `:FILE` or both behind it; without a
file, `model.safetensors` is taken, then `pytorch_model.bin`. A file of that name comes first.
Nothing is downloaded by an import or by reading a config.

mmpretrain's `get_model('cls_deit_s_imagenet', pretrained=True)` and its
`ImageClassificationInferencer('cls_deit_s_imagenet')` take the weights that were published for the
network of the config, and normalize images as these weights saw them. `get_model` is for
classifiers alone; detectors and segmentors of the configs come by `DetInferencer(NAME)` and
`MMSegInferencer(NAME)`, with weights where `vitbackbones/trained` has some.

`--pretrained auto` takes the file that the config names if it is there, otherwise the weights
that were published under its name, otherwise the nearest to them, with a warning. What is new in
the network stays random then, so the numbers of a paper that pretrained it are out of reach.

## How a file gets here

- Files are kept in torch.hub's folder (`$TORCH_HOME/hub/checkpoints`, by default below
  `~/.cache/torch`), each under its whole address; those of `hf-hub:` in the cache of
  huggingface_hub (`$HF_HOME`).
- A download that was cut short goes on where it stopped. Of several processes one downloads, the
  others wait.
- The hash of the table, or the one that the file's name carries, must be that of the content: the
  beginning of its SHA-256. Otherwise nothing is kept. Where there is no hash, a file that cannot
  be read as a checkpoint is not used, and the next try fetches it again.
- Pickles are read without running anything in them, whatever their origin.

## Without a network

`HF_HUB_OFFLINE=1` forbids connections, to the hub and to all other addresses; what is there
already is used. On a cluster whose nodes have no network, fetch on the login node (`vitbackbones
weights deit_s`) and share `TORCH_HOME` and `HF_HOME` with the nodes, or put the file where the
config looks for it, as `checkpoints/deit_s.pth`.

## The table

**The addresses were not tried here**, as this table was made without a network; each was read at
the source in its line. `vitbackbones weights --check` tries them. The license is that of the
publisher's repository or of timm's entry; read it before you use the weights for more than
research. Top-1 is the publisher's, in percent, on ImageNet-1k; mean, deviation and crop are those
of timm's registry where it has the model, and of the publisher's code otherwise. DeiT's own
evaluation, and that of our configs, crops 0.875 where timm takes 0.9. Two more configs differ from
the published weights of their model, as papers that trained it again do: Swin's (MSF: 0.875,
bilinear) and `cls_mixer_b16_imagenet` (SReT: ImageNet's mean and deviation).
"""
HEADER = """\
| name | fills | top-1 | image | crop | mean, deviation | license | hash | address, copy | source |
|---|---|---|---|---|---|---|---|---|---|"""
NEVER_HEADER = """
## Never published

The nearest start is the same network without what is new. `allow_missing` names what stays random.

| name | nearest start | `allow_missing` |
|---|---|---|"""


def line(name: str, row: Published) -> str:
    """Return the line of one file."""
    model = '' if row.model == name else f'`{row.model}`'
    colors = 'all 0.5' if set(row.mean + row.std) == {0.5} else "ImageNet's"
    hub = f'`hf-hub:{row.hf_hub}`' if row.hf_hub else ''
    places = [place for place in (row.url and f'<{row.url}>', hub) if place]
    fields = (
        *(f'`{name}`', model, row.top1 or '', f'{row.input_size[1]} {row.interpolation}'),
        *(row.crop_pct, colors, row.license, row.sha256 or ''),
        *('<br>'.join(places) or 'with a browser', row.source),
    )
    return f'| {" | ".join(map(str, fields))} |'


def text() -> Iterator[str]:
    """Yield the parts of the file."""
    yield INTRODUCTION
    yield HEADER
    yield from (line(name, row) for name, row in PUBLISHED.items())
    yield NEVER_HEADER
    for name, nearest in NEVER_PUBLISHED.items():
        missing = ', '.join(f'`{each}`' for each in LEFT_RANDOM.get(name, ()))
        yield f'| `{name}` | {f"`{nearest}`" if nearest else "none"} | {missing} |'
    yield ''


def main() -> None:
    TARGET.write_text('\n'.join(text()))


if __name__ == '__main__':
    ArgumentParser(description=__doc__).parse_args()
    main()
