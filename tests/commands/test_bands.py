"""Pictures of 4 and 12 bands, TIFF and .npy, from their statistics to what is found on them."""

import json
import re

import cv2
import numpy as np
import pytest
import tifffile

from .test_messages import refused

STEPS = ('train_cfg.max_iters=1', 'train_cfg.val_interval=1', 'train_dataloader.num_workers=0')


def draw(root, suffix, bands, count=4):
    """Write squares that only the last band shows, with boxes and masks; return all pictures."""
    random = np.random.default_rng(0)
    found = []
    for split in ('train', 'val'):
        for part in ('images', 'masks'):
            (root / part / split).mkdir(parents=True)
        images, boxes = [], []
        for i in range(count):
            pixels = random.normal(1000, 200, (48, 64, bands)).clip(0).astype(np.uint16)
            x, y = map(int, random.integers(0, (40, 24)))
            pixels[y : y + 24, x : x + 24, -1] += 1500
            mask = np.zeros((48, 64), np.uint8)
            mask[y : y + 24, x : x + 24] = 1
            file = root / f'images/{split}/{i}{suffix}'
            if suffix == '.npy':
                np.save(file, pixels)
            else:
                tifffile.imwrite(file, pixels, photometric='minisblack', planarconfig='contig')
            cv2.imwrite(str(root / f'masks/{split}/{i}.png'), mask)
            images.append({'id': i, 'file_name': file.name, 'width': 64, 'height': 48})
            boxes.append({'id': i, 'image_id': i, 'category_id': 1, 'bbox': [x, y, 24, 24]})
            boxes[-1] |= {'area': 576, 'iscrowd': 0}
            found += [pixels] if split == 'train' else []
        content = {'images': images, 'annotations': boxes}
        content['categories'] = [{'id': 1, 'name': 'square'}]
        (root / f'{split}.json').write_text(json.dumps(content))
    return np.stack(found)


@pytest.mark.parametrize(
    ('config', 'suffix', 'bands'),
    [('quick_detector', '.tif', 4), ('quick_segmentor', '.npy', 12)],
)
def test_bands_from_their_statistics_to_a_prediction(run, tool, tmp_path, config, suffix, bands):
    pixels = draw(tmp_path / 'data', suffix, bands)
    root = ('--data-root', 'data')
    options = f'model.backbone.in_channels={bands}'
    refused(
        tool('train', config, *root, '--scratch', '--cfg-options', options),
        f'model.data_preprocessor.mean: has 3 values, but images have {bands} channels; ',
    )
    said = run('check', config, *root, '--statistics', '--cfg-options', options).out
    options = re.search('--cfg-options (.*)', said)[1].split()
    mean, std = (json.loads(option.partition('=')[2]) for option in options[:2])
    np.testing.assert_allclose(mean, pixels.mean((0, 1, 2)), rtol=1e-4)
    np.testing.assert_allclose(std, pixels.std((0, 1, 2)), rtol=1e-3)

    given = ('--cfg-options', *options)
    run('train', config, *root, '--scratch', *given, *STEPS)
    run('test', config, f'work_dirs/{config}', *root, *given)
    files = sorted((tmp_path / 'data/images/val').iterdir())
    run('predict', config, f'work_dirs/{config}', *files, '--out', 'out', *given)
    assert len([*tmp_path.glob('out/pictures/*.jpg')]) == len(files)
    run('browse', config, *root, '--out', 'sheet.png', *given)
    assert cv2.imread('sheet.png').std() > 10

    with_fewer = draw(tmp_path / 'fewer', suffix, 3)
    assert with_fewer.shape[-1] == 3
    said = tool('train', config, '--data-root', 'fewer', '--scratch', '--overwrite', *given, *STEPS)
    refused(said, f'it has 3 bands, but model.backbone.in_channels={bands}.')
