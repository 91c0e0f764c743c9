"""Finding pictures and masks by the names of their folders."""

import pytest

from vitbackbones.data.own.mask_folder import find_mask_parts, named_parts
from vitbackbones.data.own.pairing import Patterns
from vitbackbones.errors import InputError

from .folders import write


def files(images, masks, names='abc', suffix='.png'):
    return {f'{images}/{n}.jpg': None for n in names} | {
        f'{masks}/{n}{suffix}': None for n in names
    }


@pytest.mark.parametrize(
    ('layout', 'images', 'masks', 'splits'),
    [
        ('{kind}/{split}', 'images', 'masks', ('train', 'val')),
        ('{split}/{kind}', 'images', 'annotations', ('training', 'validation')),
    ],
)
def test_folders_of_splits(tmp_path, layout, images, masks, splits):
    for split in splits:
        pair = [layout.format(kind=kind, split=split) for kind in (images, masks)]
        write(tmp_path, files(*pair))
    parts = find_mask_parts(tmp_path)
    assert parts.keys() == {'train', 'val'}
    for part in parts.values():
        assert part.names == ['a', 'b', 'c']
        assert part.whole
        for image, mask in part.pairs():
            assert image.is_file()
            assert mask.name == image.with_suffix('.png').name


def test_two_folders_are_split_by_name_and_masks_may_have_more_in_theirs(tmp_path):
    names = [str(i) for i in range(1, 31)]
    write(tmp_path, files('images', 'masks', names, '_mask.png'))
    parts = find_mask_parts(tmp_path)
    for part in parts.values():
        assert all(mask.name == f'{image.stem}_mask.png' for image, mask in part.pairs())
        assert not part.whole
    assert parts.keys() == {'train', 'val', 'test'}
    found = [name for part in parts.values() for name in part.names]  # none is in two
    assert sorted(found) == sorted(names)


def test_vocs_lists(tmp_path):
    write(tmp_path, files('JPEGImages', 'SegmentationClass', 'abcd'))
    write(tmp_path, files('JPEGImages', 'SegmentationObject', 'abcd'))
    lists = {'train': 'a\nb\n', 'val': 'c\n', 'trainval': 'a\nb\nc\n', 'test': '\n'}
    write(tmp_path, {f'ImageSets/Segmentation/{s}.txt': text for s, text in lists.items()})
    parts = find_mask_parts(tmp_path)
    names = {split: part.names for split, part in parts.items()}
    assert names == {'train': ['a', 'b'], 'val': ['c']}
    assert parts['train'].masks == tmp_path / 'SegmentationClass'
    write(tmp_path, {'ImageSets/Segmentation/val.txt': '../../c\n'})
    with pytest.raises(InputError, match=r"val\.txt: lists images that are not in .*'\.\./\.\./c'"):
        find_mask_parts(tmp_path)


def test_a_list_for_testing_may_name_images_without_masks(tmp_path):
    write(tmp_path, files('JPEGImages', 'SegmentationClass', 'abc') | {'JPEGImages/d.png': None})
    lists = {'train': 'a\nb\n', 'val': 'c\n', 'test': 'd\n'}
    write(tmp_path, {f'ImageSets/Segmentation/{s}.txt': text for s, text in lists.items()})
    parts = find_mask_parts(tmp_path)
    assert {split: part.names for split, part in parts.items()} == {
        'train': ['a', 'b'],
        'val': ['c'],
    }
    assert 'no image for test has a mask, so they are skipped: JPEGImages/d.png' in ''.join(
        parts['train'].notes
    )
    write(tmp_path, {'ImageSets/Segmentation/val.txt': 'd\n'})
    with pytest.raises(InputError, match=r'1 of 1 images have no mask: JPEGImages/d\.png'):
        find_mask_parts(tmp_path)


@pytest.mark.parametrize(
    ('place', 'line'),
    [
        ('', 'images/{}.jpg masks/{}.png'),
        ('', '{}.jpg'),
        ('splits/', '{}'),
        ('lists/', './images/{}.jpg'),
    ],
)
def test_other_lists_are_followed_and_what_they_leave_out_is_said(tmp_path, place, line):
    write(tmp_path, files('images', 'masks', 'abcde'))
    for split, names in (('train', 'ca'), ('valid', 'd')):
        text = ''.join(f'{line.format(name, name)}\n' for name in names)
        write(tmp_path, {f'{place}{split}.txt': text})
    parts = find_mask_parts(tmp_path)
    names = {split: part.names for split, part in parts.items()}
    assert names == {'train': ['c', 'a'], 'val': ['d']}
    (note,) = parts['train'].notes
    assert '2 images are not in any list of' in note


def test_lists_of_other_pictures_are_not_followed(tmp_path):
    write(tmp_path, files('images', 'masks', 'abcde') | {'train.txt': '/home/x/images/z.jpg\n'})
    parts = find_mask_parts(tmp_path)
    assert sum(len(part.names) for part in parts.values()) == 5
    assert parts['train'].notes[0].endswith("'/home/x/images/z.jpg'. The list is not used.")


@pytest.mark.parametrize('below', ['', 'VOCdevkit/VOC2012/'])
@pytest.mark.parametrize('end', ['', '.jpg', '  1', ' -1', '\r'])
def test_lines_of_vocs_lists_are_names_with_spaces(tmp_path, end, below):
    names = [f'my photo {i}' for i in range(4)]
    write(tmp_path, files(f'{below}JPEGImages', f'{below}SegmentationClass', names))
    write(tmp_path, {f'{below}JPEGImages/unlabeled.jpg': None})  # in no list
    for split, listed in (('train', names[:3]), ('val', names[3:])):
        text = ''.join(f'{name}{end}\n' for name in listed)
        write(tmp_path, {f'{below}ImageSets/Segmentation/{split}.txt': text})
    parts = find_mask_parts(tmp_path)
    assert {split: part.names for split, part in parts.items()} == {
        'train': names[:3],
        'val': names[3:],
    }


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        (files('images/test', 'masks/test'), 'its masks are for test, and none are for training'),
        (
            files('images', 'masks') | {'images/d.png': None, 'images/e.png': None},
            r'2 of 5 images have no mask: images/d\.png, images/e\.png\. Add their masks, named '
            r'like the others \(masks/a\.png\), or move these images out',
        ),
        (
            {'images/a.jpg': None, 'masks/b.png': None},
            "no mask has the name of an image. The images are 'a'",
        ),
        (files('images', 'masks', 'a'), 'one image cannot be split'),
    ],
)
def test_what_cannot_be_found_is_one_message(tmp_path, content, message):
    with pytest.raises(InputError, match=message):
        find_mask_parts(write(tmp_path, content))


def test_links_to_pictures_that_are_gone_are_named(tmp_path):
    write(tmp_path, {'masks/0.png': None, 'images/other': None})
    (tmp_path / 'images' / '0.png').symlink_to('moved.png')
    with pytest.raises(InputError, match=r'Links point to .*images/moved\.png, which no longer'):
        find_mask_parts(tmp_path)


def test_masks_in_color_come_first_only_where_they_are_asked_for(tmp_path):
    write(tmp_path, files('images', 'masks') | files('images', 'color_masks'))
    for coded, folder in (({}, 'masks'), ({'kinds': ('colors', 'masks')}, 'color_masks')):
        (part,) = named_parts(tmp_path, **coded).values()
        assert part.masks == tmp_path / folder


def test_pictures_that_differ_in_their_suffix_alone_are_refused_and_not_lost(tmp_path):
    names = ('a.png', 'a.bmp', 'b.png')
    write(tmp_path, {f'images/{name}': None for name in names})
    write(tmp_path, {f'masks/{name}.png': None for name in names})
    with pytest.raises(
        InputError, match=r'a\.png: has the name of .*a\.bmp, except for the suffix'
    ):
        find_mask_parts(tmp_path, patterns=Patterns('images/{}', 'masks/{}.png'))


def test_a_part_of_a_test_set_is_not_validated_on(tmp_path):
    for split in ('train', 'val', 'test-dev'):
        for kind in ('images', 'masks'):
            write(tmp_path, {f'{split}/{kind}/{split}{row}.png': None for row in range(2)})
    parts = find_mask_parts(tmp_path)
    names = {split: sorted(part.names) for split, part in parts.items()}
    assert names['val'] == ['val0', 'val1']
    assert names['test'] == ['test-dev0', 'test-dev1']
