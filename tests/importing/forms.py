"""Small data sets in other forms than COCO's: pictures of 40 x 30 pixels."""

import numpy as np
from PIL import Image

SIZE = (40, 30)  # width, height


def picture(path, size=SIZE, mode='RGB', **options):
    """Write a picture that no other one equals, by its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(sum(map(ord, path.name))).integers(0, 256, (*size[::-1], 3))
    Image.fromarray(noise.astype(np.uint8)).convert(mode).save(path, **options)
    return path


def voc_object(name, *corners, **tags):
    more = ''.join(f'<{key}>{value}</{key}>' for key, value in tags.items())
    keys = ('xmin', 'ymin', 'xmax', 'ymax')
    box = ''.join(f'<{k}>{v}</{k}>' for k, v in zip(keys, corners, strict=True))
    return f'<object><name>{name}</name>{more}<bndbox>{box}</bndbox></object>'


def voc(path, *objects, size=SIZE):
    """Write an XML file of Pascal VOC."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = f'<filename>{path.stem}.png</filename>'
    about += f'<size><width>{size[0]}</width><height>{size[1]}</height></size>'
    path.write_text(f'<annotation>{about}{"".join(objects)}</annotation>')
    return path


def yolo(root, labels, split='train'):
    """Write pictures and label files, given by their names; None for no label file."""
    root.mkdir(exist_ok=True)
    (root / 'data.yaml').write_text('train: ../images/train\nnames: [cat, dog]\n')
    for name, text in labels.items():
        picture(root / 'images' / split / f'{name}.png')
        if text is not None:
            file = root / 'labels' / split / f'{name}.txt'
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return root


def masks(root, count):
    """Pictures of noise with a thing (3) on ground (0)."""
    rng = np.random.default_rng(0)
    for number in range(count):
        mask = np.zeros((64, 96), np.uint8)
        mask[10:40, 20:60] = 3
        pixels = rng.integers(0, 255, (64, 96, 3), np.uint8)
        for name, content in (('images', pixels), ('masks', mask)):
            (root / name).mkdir(parents=True, exist_ok=True)
            Image.fromarray(content).save(root / name / f'{number}.png')
    (root / 'classes.txt').write_text('0 ground\n3 thing\n')
