"""Pictures of detections: prediction beside ground truth, and a contact sheet of them.

Small images are enlarged before anything is drawn on them, so that a label stays legible on an
image of 160 x 160.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import torch
from mmengine.dataset import pseudo_collate
from PIL import Image, ImageDraw, ImageFont
from torch import nn

from ..datasets.load_image import read_image
from ..errors import InputError

# Okabe and Ito's colours, which colour-blind readers can tell apart; repeated after seven classes.
PALETTE = (
    *((230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66)),
    *((0, 114, 178), (213, 94, 0), (204, 121, 167)),
)
SIDES = (400, 1000)  # limits of the longer side of a drawn image, in pixels
FONT_SIZE = 15
GAP = 8


@dataclass
class Objects:
    """What is on an image: boxes (N, 4) as x1, y1, x2, y2 in pixels, labels (N,), scores (N,)."""

    boxes: np.ndarray
    labels: np.ndarray
    scores: np.ndarray | None = None


# ------------------------------------------------------------------------ drawing


def font() -> ImageFont.FreeTypeFont:
    return ImageFont.load_default(FONT_SIZE)


def enlarged(image: Image.Image) -> Image.Image:
    """A copy of ``image`` whose longer side is within :data:`SIDES`."""
    scale = np.clip(max(image.size), *SIDES) / max(image.size)
    size = tuple(max(1, round(side * scale)) for side in image.size)
    return image.resize(size, Image.Resampling.BICUBIC)


def write_on(draw: ImageDraw.ImageDraw, box: tuple, text: str, color: tuple) -> None:
    """Fill a box with a colour and write on it, in black or white, whichever can be read."""
    draw.rectangle(box, fill=color)
    dark = np.dot(color, (0.299, 0.587, 0.114)) < 120
    draw.text((box[0] + 3, box[1] + 1), text, fill='white' if dark else 'black', font=font())


def draw_objects(image: Image.Image, objects: Objects, classes: Sequence[str]) -> Image.Image:
    """Draw boxes with class names and scores on an enlarged (or reduced) copy of ``image``."""
    picture = enlarged(image)
    draw = ImageDraw.Draw(picture)
    boxes, taken = objects.boxes * (max(picture.size) / max(image.size)), []
    colors = [PALETTE[label % len(PALETTE)] for label in objects.labels]
    for box, color in zip(boxes, colors, strict=True):
        draw.rectangle(tuple(box), outline=color, width=3)
    for i, (box, color) in enumerate(zip(boxes, colors, strict=True)):
        score = '' if objects.scores is None else f' {objects.scores[i]:.2f}'
        text = f'{classes[objects.labels[i]]}{score}'
        taken.append(_write(draw, text, box[:2], color, taken, picture.size))
    return picture


def _write(draw, text: str, corner, color, taken: list, size: tuple[int, int]) -> tuple:
    """Write a label at a box's upper left corner, moved to where no other label is."""
    width, height = draw.textlength(text, font()) + 6, FONT_SIZE + 5
    x = np.clip(corner[0], 0, max(0, size[0] - width))
    y = np.clip(corner[1] - height, 0, max(0, size[1] - height))
    while any(abs(y - t) < height and x < r and left < x + width for left, t, r in taken):
        y += height
    write_on(draw, (x, y, x + width, y + height), text, color)
    return x, y, x + width


def side_by_side(panels: dict[str, Image.Image]) -> Image.Image:
    """Put pictures in a row, each under its title."""
    height = max(panel.height for panel in panels.values())
    width = sum(panel.width + GAP for panel in panels.values()) - GAP
    row = Image.new('RGB', (width, height + FONT_SIZE + GAP), 'white')
    x = 0
    for title, panel in panels.items():
        ImageDraw.Draw(row).text((x + 2, 2), title, fill='black', font=font())
        row.paste(panel, (x, FONT_SIZE + GAP))
        x += panel.width + GAP
    return row


def contact_sheet(
    pictures: Sequence[Image.Image], columns: int = 2, width: int = 820
) -> Image.Image:
    """Arrange pictures in a grid; each is scaled to ``width`` pixels.

    Args:
        pictures: at least one.
        columns: pictures in a row.
        width: of one picture.
    """
    scaled = [p.resize((width, round(p.height * width / p.width))) for p in pictures]
    rows = [scaled[i : i + columns] for i in range(0, len(scaled), columns)]
    heights = [max(picture.height for picture in row) + 2 * GAP for row in rows]
    across = min(columns, len(scaled))
    sheet = Image.new('RGB', (across * (width + 2 * GAP), sum(heights)), 'white')
    for row, y in zip(rows, np.cumsum([0, *heights]), strict=False):
        for i, picture in enumerate(row):
            sheet.paste(picture, (i * (width + 2 * GAP) + GAP, int(y) + GAP))
    return sheet


def save(picture: Image.Image, path: Path) -> Path:
    """Write a picture, with the folder it belongs to, down to the disk.

    Raises:
        InputError: the suffix is no format of pictures, or the file cannot be written.
    """
    kind = Image.registered_extensions().get(path.suffix.lower())
    if kind not in Image.SAVE:
        raise InputError(f'{path}: pictures have a suffix such as .png or .jpg')
    content = BytesIO()
    picture.save(content, kind)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, 'wb') as file:
            file.write(content.getbuffer())
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(f'{path} cannot be written ({error.strerror})') from error
    return path


# ------------------------------------------------------------------------ a detector's pictures


def draw_detections(
    model: nn.Module, dataset, folder: Path, number: int, threshold: float
) -> Iterator[Path]:
    """Run ``model`` on ``number`` images spread over ``dataset`` and draw what it finds.

    Args:
        model: an mmdet detector in evaluation mode.
        dataset: an mmdet data set in test mode.
        folder: where ``<number>_<image name>.png`` and ``contact_sheet.png`` go.
        number: of images.
        threshold: detections of a lower score are left out.

    Yields:
        The path of every file, as soon as it is written.
    """
    classes, pictures = dataset.metainfo['classes'], []
    count = min(number, len(dataset))
    for i in np.linspace(0, len(dataset) - 1, count).round().astype(int).tolist():
        info = dataset.get_data_info(i)
        pixels = read_image(info['img_path'], 'color', 'cv2', None)[..., ::-1]  # BGR to RGB
        image = Image.fromarray(np.ascontiguousarray(pixels))
        panels = {
            'ground truth': draw_objects(image, _annotated(info), classes),
            f'prediction, score >= {threshold:g}': draw_objects(
                image, _detected(model, dataset[i], threshold), classes
            ),
        }
        pictures.append(side_by_side(panels))
        yield save(pictures[-1], folder / f'{i:05d}_{Path(info["img_path"]).stem}.png')
    yield save(contact_sheet(pictures), folder / 'contact_sheet.png')


def _annotated(info: dict) -> Objects:
    boxes = np.array([instance['bbox'] for instance in info['instances']]).reshape(-1, 4)
    labels = np.array([instance['bbox_label'] for instance in info['instances']], int)
    return Objects(boxes, labels)


@torch.no_grad()
def _detected(model: nn.Module, sample: dict, threshold: float) -> Objects:
    found = model.test_step(pseudo_collate([sample]))[0].pred_instances.cpu().numpy()
    kept = found.scores >= threshold
    return Objects(found.bboxes[kept], found.labels[kept], found.scores[kept])
