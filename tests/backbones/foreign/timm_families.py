"""A small network of every family of timm, compared with timm's own forward.

python -m tests.backbones.foreign.timm_families   # prints the table of docs/lab/timm_families.md
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import timm
import torch
from torch import nn

from vitbackbones.backbones.foreign.timm_models import Timm
from vitbackbones.errors import InputError, OptionError

PAGE = Path(__file__).parents[3] / 'docs' / 'lab' / 'timm_families.md'
# the small network of each family
NAMES = dict(re.findall(r'^\| (\w+) \| `(\w+)` \|', PAGE.read_text(), re.MULTILINE))
ODD = (97, 130)


def row(family: str) -> str:
    """Return the row of the table for a family, after a comparison with timm's maps."""
    name = NAMES[family]
    try:
        with TemporaryDirectory() as folder:
            backbone = equal_to_timm(name, Path(folder, 'weights.pth'))
    except (InputError, OptionError) as error:
        text = str(error)
        reason = text.partition('gives no maps: ')[2] or text.partition(': ')[2]
        return f'| {family} | `{name}` | refused: {re.split("[:;.]", reason)[0][:80]} | | |'
    widths, strides = (
        ', '.join(map(str, x)) for x in (backbone.out_channels, backbone.out_strides)
    )
    multiple = backbone.multiple
    sizes = (
        f'any, padded to {multiple}' if multiple > 1 else 'any' if multiple else 'up to `img_size`'
    )
    return f'| {family} | `{name}` | {widths} | {strides} | {sizes} |'


def equal_to_timm(name: str, file: Path, settings: dict | None = None) -> Timm:
    """Compare a backbone whose weights come from ``file`` with timm's ``features_only``."""
    settings = settings or {}
    backbone = Timm(name, settings=settings, pretrained=str(file)).eval()
    torch.manual_seed(0)
    whole = timm.create_model(name, **settings)
    for part in whole.parameters():
        if part.ndim == 1:  # gates of zeros would hide what lies behind them
            nn.init.normal_(part, std=0.2)
    torch.save(whole.state_dict(), file)
    backbone.init_weights()
    features = timm.create_model(
        name,
        features_only=True,
        out_indices=backbone.out_indices,
        pretrained=True,
        pretrained_cfg_overlay={'state_dict': whole.state_dict()},
        **backbone.given,
    ).eval()
    for part in features.modules():
        if hasattr(part, 'strict_img_size'):
            part.strict_img_size = False
    channels_last = str(getattr(features, 'output_fmt', 'NCHW')) in ('NHWC', 'Format.NHWC')
    for size in {ODD, min(backbone.img_size, (224, 224))}:
        image = torch.randn(1, 3, *size)
        with torch.no_grad():
            maps, wanted = backbone(image), features(backbone.padded(image))
        declared = zip(backbone.out_channels, backbone.out_strides, strict=True)
        for x, y, (channels, stride) in zip(maps, wanted, declared, strict=True):
            y = y.permute(0, 3, 1, 2) if channels_last else y  # (N, h, w, C) to (N, C, h, w)
            h, w = (-(-side // stride) for side in size)
            assert x.shape == (1, channels, h, w)
            torch.testing.assert_close(x, y[..., :h, :w], atol=1e-5, rtol=1e-4)
    return backbone


if __name__ == '__main__':
    for each in sys.argv[1:] or NAMES:
        print(row(each), flush=True)
