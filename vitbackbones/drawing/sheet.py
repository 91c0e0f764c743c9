"""What all drawn pictures share: sizes, fonts, rows, contact sheets and files.

Small images are enlarged before anything is drawn on them, so that a label stays legible on an
image of 160 x 160.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..errors import InputError, printable
from ..utils.files import write_file
from ..utils.messages import show_warnings

if TYPE_CHECKING:  # pictures are drawn where there is no torch
    from mmengine.structures import BaseDataElement
    from torch import nn

# Okabe and Ito's colors, which color-blind readers can tell apart; repeated after seven classes.
PALETTE = (
    *((230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66)),
    *((0, 114, 178), (213, 94, 0), (204, 121, 167)),
)
SIDES = (400, 1000)  # limits of the longer side of a drawn image, in pixels
FONT_SIZE = 15
LINE = FONT_SIZE + 5  # height of a line of text
GAP = 8
MOST_LETTERS = 200  # of a label


def from_bgr(pixels: np.ndarray) -> Image.Image:
    """Make a picture of pixels (H, W, 3) in OpenCV's order.

    Of other bands (H, W, bands) the first three are shown as red, green and blue, or one in gray;
    numbers that are no bytes are stretched, 2 % of each band to black and 2 % to white.
    """
    if pixels.shape[2:] != (3,) or pixels.dtype != np.uint8:
        shown = pixels.reshape(*pixels.shape[:2], -1)[..., :3]  # (H, W, 1 to 3)
        if shown.dtype != np.uint8:
            low, high = np.percentile(shown, (2, 98), (0, 1))
            shown = ((shown - low) / (high - low).clip(1e-12) * 255).clip(0, 255).astype(np.uint8)
        return Image.fromarray(shown if shown.shape[2] == 3 else np.repeat(shown[..., :1], 3, 2))
    return Image.fromarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB))


def enlarged(image: Image.Image, sides: tuple[int, int] = SIDES) -> Image.Image:
    """Return a copy of ``image`` whose longer side is within ``sides``."""
    scale = np.clip(max(image.size), *sides) / max(image.size)
    size = tuple(max(1, round(side * scale)) for side in image.size)
    # Pillow takes three to five times as long
    how = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    return Image.fromarray(cv2.resize(np.asarray(image), size, interpolation=how))


# ------------------------------------------------------------------------ text


def font(text: str) -> ImageFont.FreeTypeFont:
    """Return the font of a text: Pillow's own, or for other than ASCII one that has its letters."""
    return _font_with(''.join(sorted({letter for letter in text if not letter.isascii()})))


@cache  # reading it takes longer than drawing a label
def _font_with(letters: str) -> ImageFont.FreeTypeFont:
    """Return the font that has the most of some letters; Pillow's without any."""
    if not letters:
        return ImageFont.load_default(FONT_SIZE)
    best = _font_with('')
    missing = letters
    for each in _fonts():
        lacks = _missing_in(each, letters)
        if len(lacks) < len(missing):
            best = each
            missing = lacks
        if not missing:
            return best
    text = f'no font on this machine has the letters {missing}, so they are drawn as boxes'
    show_warnings([f'{text}. Install one, for example with apt-get install fonts-noto-cjk'])
    return best


def _missing_in(each: ImageFont.FreeTypeFont, letters: str) -> str:
    """Return the letters that a font draws as it does U+FFFF, which is none."""
    none = bytes(each.getmask('\uffff'))
    return ''.join(letter for letter in letters if bytes(each.getmask(letter)) == none)


def _fonts() -> Iterator[ImageFont.FreeTypeFont]:
    """Yield the fonts of matplotlib and of this machine, except those of other sizes."""
    try:
        from matplotlib import font_manager
    except ImportError:  # exported files run without it
        return
    own = font_manager.findfont('DejaVu Sans')
    installed = sorted(font_manager.findSystemFonts(), key=lambda file: (len(file), file))
    for file in (own, *installed):
        with suppress(OSError):
            yield ImageFont.truetype(file, FONT_SIZE)


def one_line(text: str) -> str:
    """Return a text as it is drawn: names come from anyone's files, and may have any length."""
    return printable(text[:MOST_LETTERS], kept='')


def label_width(text: str) -> int:
    """Return how wide the box of a label has to be, in pixels."""
    line = one_line(text)
    return round(font(line).getlength(line)) + 6


@lru_cache(2**11)  # the letters of one take 0.3 ms, and most come again
def text_label(text: str, color: tuple[int, int, int]) -> Image.Image:
    """Write a text in one line on a color, in black or white, whichever can be read."""
    box = Image.new('RGB', (label_width(text), LINE), color)
    dark = np.dot(color, (0.299, 0.587, 0.114)) < 120
    line = one_line(text)
    ImageDraw.Draw(box).text((3, 1), line, 'white' if dark else 'black', font(line))
    return box


def name_strip(colors: Mapping[str, Sequence[int]], width: int) -> Image.Image:
    """Write each name on its color, in rows of ``width`` pixels."""
    labels = []
    x = 0
    y = 0
    for name, color in colors.items():
        label = text_label(name, tuple(map(int, color)))
        x, y = (0, y + LINE + GAP) if x and x + label.width > width else (x, y)
        labels.append((label, (x, y)))
        x += label.width + GAP
    strip = Image.new('RGB', (width, y + LINE + GAP), 'white')
    for label, corner in labels:
        strip.paste(label, corner)
    return strip


# ------------------------------------------------------------------------ arrangements


def side_by_side(panels: Sequence[tuple[str, Image.Image]], width: int = 0) -> Image.Image:
    """Put pictures in a row of cells, at least ``width`` pixels wide, each under its title."""
    widths = [max(width, panel.width) for _, panel in panels]
    height = max(panel.height for _, panel in panels)
    size = (sum(widths) + GAP * (len(widths) - 1), height + FONT_SIZE + GAP)
    row = Image.new('RGB', size, 'white')
    x = 0
    for (title, panel), cell in zip(panels, widths, strict=True):
        ImageDraw.Draw(row).text((x + 2, 2), title, fill='black', font=font(title))
        row.paste(panel, (x, FONT_SIZE + GAP))
        x += cell + GAP
    return row


def below(
    upper: Image.Image, lower: Image.Image, gap: int = 0, height: int | None = None
) -> Image.Image:
    """Put a picture ``gap`` pixels below another, in ``height`` pixels or as many as it needs."""
    top = upper.height + gap
    whole = Image.new('RGB', (upper.width, top + (height or lower.height)), 'white')
    whole.paste(upper)
    whole.paste(lower, (0, top))
    return whole


def contact_sheet(
    pictures: Sequence[Image.Image], columns: int = 2, width: int = 820
) -> Image.Image:
    """Arrange pictures, one at least, in a grid; each is scaled to ``width`` pixels."""
    scaled = [p.resize((width, round(p.height * width / p.width))) for p in pictures]
    rows = [scaled[i : i + columns] for i in range(0, len(scaled), columns)]
    heights = [max(picture.height for picture in row) + 2 * GAP for row in rows]
    across = min(columns, len(scaled))
    sheet = Image.new('RGB', (across * (width + 2 * GAP), sum(heights)), 'white')
    for row, y in zip(rows, np.cumsum([0, *heights]), strict=False):
        for i, picture in enumerate(row):
            sheet.paste(picture, (i * (width + 2 * GAP) + GAP, int(y) + GAP))
    return sheet


# ------------------------------------------------------------------------ files


def picture_format(path: Path) -> str:
    """Return the format of a picture file, by its suffix.

    Raises:
        InputError: the suffix is no format of pictures.
    """
    kind = Image.registered_extensions().get(path.suffix.lower())
    if kind not in Image.SAVE:
        raise InputError(f'{path}: an image file must have a suffix such as .png or .jpg')
    return kind


def save(picture: Image.Image, path: Path) -> Path:
    """Write a picture, with the folder it belongs to, down to the disk.

    Raises:
        InputError: the suffix is no format of pictures, or the file cannot be written.
    """
    kind = picture_format(path)
    content = BytesIO()
    picture.save(content, kind)
    write_file(path, content.getbuffer())
    return path


# ------------------------------------------------------------------------ samples of a data set


def spread(count: int, number: int) -> list[int]:
    """Return ``number`` places among ``count``, from the first to the last; all if they are few."""
    return np.linspace(0, count - 1, min(number, count)).round().astype(int).tolist()


def draw_samples(
    dataset, number: int, draw: Callable[[int, str], Image.Image]
) -> Iterator[tuple[str, Image.Image]]:
    """Draw images spread over a dataset.

    Args:
        dataset: one of OpenMMLab's, in test mode.
        number: of images.
        draw: makes the picture of a place in the dataset and the path of its image, which is
            ``''`` where the dataset holds decoded images.

    Yields:
        A name, ``<place>_<image name>``, and the picture, as soon as it is drawn.
    """
    for place in spread(len(dataset), number):
        path = dataset.get_data_info(place).get('img_path', '')
        yield f'{place:05d}_{Path(path).stem}'.rstrip('_'), draw(place, path)


def answered(model: 'nn.Module', sample: dict) -> 'BaseDataElement':
    """Return what a toolbox's model answers for one sample of its dataset, on the CPU."""
    import torch
    from mmengine.dataset import pseudo_collate

    with torch.no_grad():
        return model.test_step(pseudo_collate([sample]))[0].cpu()


def save_samples(drawn: Iterable[tuple[str, Image.Image]], folder: Path) -> Iterator[Path]:
    """Write what :func:`draw_samples` yields as PNG files, and ``contact_sheet.png`` of them.

    Yields:
        The path of every file, as soon as it is written.
    """
    pictures = []
    for name, picture in drawn:
        pictures.append(picture)
        yield save(picture, folder / f'{name}.png')
    yield save(contact_sheet(pictures), folder / 'contact_sheet.png')
