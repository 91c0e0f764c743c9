"""Pictures and masks that belong together, in folders as others keep them."""

import re

import pytest

from vitbackbones.data.own.pairing import Patterns, chosen_pairs, find_pairs
from vitbackbones.errors import InputError

from .folders import write

NUMBERS = [0, 1, 2, 9, 10, 11, 100]


def draw(root, *forms, numbers=NUMBERS):
    """Write an empty file of each form, a path with {}, for each number."""
    return write(root, {form.format(n): None for form in forms for n in numbers})


def paths(root, pairs):
    return {tuple(file.path.relative_to(root).as_posix() for file in pair) for pair in pairs.found}


@pytest.mark.parametrize(
    'forms',
    [
        [('images/{}.jpg', 'masks/{}.png')],
        [('images/{}_image.png', 'annotations/{}_annotation.png')],
        [('Training_Images/{}.jpg', 'Ground_Truth/{}.png')],
        [('crack/imgs/e{}.jpg', 'crack/imgs/e{}.png'), ('hole/imgs/{}.jpg', 'hole/imgs/{}.png')],
        [('{}_img.png', '{}_mask.png')],
        [('images/p{}.jpg', 'masks/mask_p{}.png')],
        [('images/mask_{}.jpg', 'masks/mask_{}.png')],
        [('images/{}.jpg', 'masks/{}.jpg.png')],
        [(f'image/s.jpgpatch_{n}{{}}.jpg', f'mask/s.pngpatch_{n}{{}}.png') for n in '01'],
        [('images/{}.jpg', 'masks/{}_mask.gif')],
        [('a/b/c/d/e/images/{}.jpg', 'a/b/c/d/e/masks/{}.png')],
        [('images/{}.jpg', 'labels/{}_L.png')],
        [('{}.jpg', 'mask_index/{}.png')],
        [('imagesTr/case_{}_0000.png', 'labelsTr/case_{}.png')],
        [('train/{}.png', 'trainannot/{}.png'), ('val/{}.png', 'valannot/{}.png')],
        [('JPEGImages/480p/{}/0.jpg', 'Annotations/480p/{}/0.png')],
        [('images/train/{}.jpg', 'masks/{}.png')],
        [('images/{}.jpg', 'masks/val/{}.png')],
        [
            (
                'leftImg8bit/val/ulm/ulm_{}_leftImg8bit.png',
                'gtFine/val/ulm/ulm_{}_gtFine_labelIds.png',
            )
        ],
        [('ISIC_Training_Input/I_{}.jpg', 'ISIC_Training_GroundTruth/I_{}_segmentation.png')],
        [('Object_Images/{}.png', 'Object_Segmented_Masks/{}_seg_mask.png')],
        [('a/{}.jpg', 'a/{}_L.png')],
        [('701_StillsRaw/{}.jpg', 'LabeledApproved/{}_L.png')],
        [('x_images/frame_0{}.jpg', 'x_labels/label_0{}_v1.png')],
        [('train/{}_sat.jpg', 'train/{}_mask.png')],
        [('images/10k/val/{}.jpg', 'labels/sem_seg/masks/val/{}.png')],
        [('train/{}.jpg', 'train_semseg/{}.png')],
        [('images/{}_training.tif', '1st_manual/{}_manual1.gif')],
        [(f'train/{kind}/{{}}.png', f'ground_truth/{kind}/{{}}_mask.png') for kind in 'ab'],
        [('p1/image/{}.png', 'p1/mask/{}.png'), ('p2/image/{}.png', 'p2/mask/{}.png')],
        [('segmentation/images/{}.jpg', 'segmentation/masks/{}.png'), ('a.png', 'b.png')],
        [('labelled/images/{}.jpg', 'labelled/masks/{}.png')],
        [('supervisely/images/{}.jpg', 'supervisely/masks/{}.png')],
        [('television/images/{}.jpg', 'television/masks/{}.png')],
        [('results/images/{}.jpg', 'results/masks/{}.png')],
    ],
)
def test_pairs_by_what_paths_share(tmp_path, forms):
    expected = {tuple(form.format(n) for form in pair) for pair in forms for n in NUMBERS}
    for pair in forms:
        draw(tmp_path, *pair)
    pairs = find_pairs(tmp_path)
    assert paths(tmp_path, pairs) == expected - {('a.png', 'b.png')}
    assert not pairs.bare


@pytest.mark.parametrize(
    'left',
    [
        'train/aug/image_{}_77.png',
        'masks_old/{}.png',
        'mask_color/{}.png',
        'masks_vis/{}.png',
        'SegmentationObject/{}.png',
        'instance/{}.png',
        'predictions/{}.png',
        'runs/exp1/masks/{}.png',
        'out/pictures/{}.jpg',
        'images/{}_overlay.png',
        'images/{} - Copy.jpg',
        'masks/{}_color.png',
        'notes/figure_{}.png',
        '{}.jpg',
    ],
)
def test_what_lies_beside_is_left_out_and_said(tmp_path, left):
    draw(tmp_path, 'images/{}.jpg', 'masks/{}.png', left)
    write(tmp_path, {'images/.ipynb_checkpoints/0-checkpoint.jpg': None, 'train.py': None})
    pairs = find_pairs(tmp_path)
    assert paths(tmp_path, pairs) == {(f'images/{n}.jpg', f'masks/{n}.png') for n in NUMBERS}
    assert not pairs.bare
    (note,) = pairs.notes
    assert note.endswith(f'are skipped: {len(NUMBERS)} in {left.rpartition("/")[0] or "."}')


@pytest.mark.parametrize(
    ('forms', 'shown'),
    [
        (('images/{}.jpg', 'masks/{}.png', 'masks_v2/{}.png'), 'images masks masks_v2'),
        (('images/{}.jpg', 'labels/{}.png', 'masks/{}.png'), 'images labels masks'),
        (('images/{}.jpg', 'masks/car/{}.png', 'masks/road/{}.png'), 'images masks/car masks/road'),
    ],
)
def test_two_versions_are_refused_with_the_options_that_choose(tmp_path, forms, shown):
    draw(tmp_path, *forms)
    images, one, other = shown.split()
    with pytest.raises(InputError) as error:
        find_pairs(tmp_path)
    said = f"--pictures '{images}/{{}}.jpg' and either --masks '{one}/{{}}.png' or --masks "
    assert f"{said}'{other}/{{}}.png'" in str(error.value)
    pairs = chosen_pairs(tmp_path, Patterns(forms[0], forms[2]))
    assert len(pairs.found) == len(NUMBERS)


@pytest.mark.parametrize(
    ('one', 'other', 'masks'),
    [
        ('train/image', 'train/raw image', 'train/mask'),
        ('images_color/train', 'images_infrared/train', 'masks/train'),
    ],
)
def test_two_kinds_of_pictures_are_refused_with_the_options_that_choose(
    tmp_path, one, other, masks
):
    draw(tmp_path, f'{one}/{{}}.jpg', f'{other}/{{}}.jpg', f'{masks}/{{}}.png')
    with pytest.raises(InputError, match='matches several pictures') as error:
        find_pairs(tmp_path)
    shown = {*re.findall("--pictures '([^']*)'", str(error.value))}
    (mask,) = re.findall("--masks '([^']*)'", str(error.value))
    assert shown == {f'{each}/{{}}.jpg'.replace('train', '*') for each in (one, other)}
    for pictures in shown:
        assert len(chosen_pairs(tmp_path, Patterns(pictures, mask)).found) == len(NUMBERS)


def test_kinds_of_masks_in_one_folder(tmp_path):
    name = 'val/ulm/ulm_{}_'
    masks = [f'gtFine/{name}gtFine_{kind}.png' for kind in ('labelIds', 'labelTrainIds', 'color')]
    draw(tmp_path, f'leftImg8bit/{name}leftImg8bit.png', *masks)
    options = "either --masks 'gtFine/*/*/{}_gtFine_labelIds.png' or --masks 'gtFine/*/*/{}_gtFine_"
    with pytest.raises(InputError) as error:
        find_pairs(tmp_path)
    assert options in str(error.value)
    chosen = Patterns(
        'leftImg8bit/*/*/{}_leftImg8bit.png', 'gtFine/*/*/{}_gtFine_labelTrainIds.png'
    )
    pairs = chosen_pairs(tmp_path, chosen)
    assert {mask.path.name[-15:] for _, mask in pairs.found} == {'labelTrainIds.png'[-15:]}
    assert len(pairs.found) == len(NUMBERS)


def test_masks_that_cannot_belong_to_pictures(tmp_path):
    write(tmp_path, {'images/a8f3.png': None, 'images/b77c.png': None})
    write(tmp_path, {f'masks/{name}.png': None for name in ('a1d2', '99ab', '77c1')})
    message = "The images are 'a8f3', 'b77c'. The masks are '77c1"
    with pytest.raises(InputError, match=message):
        find_pairs(tmp_path)


@pytest.mark.parametrize(
    ('pictures', 'masks', 'message'),
    [
        (
            'images/*.jpg',
            'masks/{}.png',
            r'images/\*\.jpg: requires one \{\} for the name',
        ),
        ('image/{}.jpg', 'masks/{}.png', r'no image in .* matches\. The folder contains images/0'),
        ('images/{}.jpg', '**/{}.png', "matches both .* for '0'. Add more of their folders"),
    ],
)
def test_patterns_that_cannot_be_meant(tmp_path, pictures, masks, message):
    draw(tmp_path, 'images/{}.jpg', 'masks/{}.png', 'other/{}.png')
    with pytest.raises(InputError, match=message):
        chosen_pairs(tmp_path, Patterns(pictures, masks))


def test_patterns_compare_the_folders_that_both_leave_open(tmp_path):
    draw(tmp_path, 'a/x/{}.jpg', 'a/y/{}.png', 'b/x/{}.jpg', 'b/y/{}.png', numbers=[0, 1])
    write(tmp_path, {'a/x/2.jpg': None, 'b/y/3.png': None})
    pairs = chosen_pairs(tmp_path, Patterns('*/x/{}.*', '*/y/{}.png'))
    expected = {(f'{place}/x/{n}.jpg', f'{place}/y/{n}.png') for place in 'ab' for n in (0, 1)}
    assert paths(tmp_path, pairs) == expected
    assert pairs.bare == [tmp_path / 'a/x/2.jpg']
    assert pairs.notes == [f'{tmp_path}: images and masks without a match are skipped: 1 in b/y']


def test_the_suffix_of_a_shown_pattern_is_whole(tmp_path):
    names = [f'{folder}/{name}.png' for folder in ('images', 'masks', 'masks_v2') for name in 'png']
    write(tmp_path, dict.fromkeys(names))
    with pytest.raises(InputError) as error:
        find_pairs(tmp_path)
    assert "--pictures 'images/{}.png'" in str(error.value)


def test_three_pictures_of_one_name_are_refused_as_two(tmp_path):
    draw(tmp_path, *(f'images/{{}}.{suffix}' for suffix in ('bmp', 'jpg', 'png')), numbers=[1, 2])
    draw(tmp_path, 'masks/{}.png', numbers=[1, 2])
    with pytest.raises(InputError, match='1.png matches several .*1.bmp and images/1.jpg'):
        find_pairs(tmp_path)


def test_a_folder_of_masks_of_which_few_belong_to_pictures_is_no_other_version(tmp_path):
    draw(tmp_path, 'images/{}.jpg', 'masks/{}.png', numbers=range(10))
    draw(tmp_path, 'masks_v2/{}.png', numbers=[*range(4), *range(50, 56)])
    assert len(find_pairs(tmp_path).found) == 10
    draw(tmp_path, 'masks_v2/{}.png', numbers=range(4, 7))
    with pytest.raises(InputError, match='masks_v2'):
        find_pairs(tmp_path)


def test_a_form_of_names_must_fit_two_pictures(tmp_path):
    write(tmp_path, {f'images/{name}.jpg': None for name in ('a_left', 'b_left', 'c', 'd')})
    write(tmp_path, {f'masks/{name}.png': None for name in ('a_seen', 'b_seen')})
    expected = {(f'images/{name}_left.jpg', f'masks/{name}_seen.png') for name in 'ab'}
    assert paths(tmp_path, find_pairs(tmp_path)) == expected


def test_a_form_of_names_that_a_larger_split_shows_fits_a_single_picture(tmp_path):
    form = ('img/{0}/{0}_{1}_left.png', 'gt/{0}/{0}_{1}_gt_ids.png')
    expected = {
        tuple(path.format(*place) for path in form)
        for place in (('val', 7), ('train', 1), ('train', 2))
    }
    write(tmp_path, {path: None for pair in expected for path in pair})
    assert paths(tmp_path, find_pairs(tmp_path)) == expected


@pytest.mark.parametrize(
    ('image', 'array'),
    [
        ('SegmentationClass', 'SegmentationClassNpy'),
        ('SegmentationClassPNG', 'SegmentationClass'),
    ],
)
def test_the_arrays_that_labelme_writes_beside_its_masks_are_no_other_version(
    tmp_path, image, array
):
    draw(tmp_path, 'JPEGImages/{}.jpg', f'{image}/{{}}.png', f'{array}/{{}}.npy')
    draw(tmp_path, 'SegmentationClassVisualization/{}.jpg')
    pairs = find_pairs(tmp_path)
    assert {(mask.folder.name, mask.path.suffix) for _, mask in pairs.found} == {(image, '.png')}
    draw(tmp_path, 'SegmentationObject/{}.png', 'SegmentationObjectVisualization/{}.jpg')
    pairs = find_pairs(tmp_path, ('others',))
    assert {mask.folder.name for _, mask in pairs.found} == {'SegmentationObject'}
