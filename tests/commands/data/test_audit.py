"""From an audit to corrected labels, with detections and masks that are known."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vitbackbones.audit.suspicion import Suspicion
from vitbackbones.commands.data import audit, audit_plan, folds
from vitbackbones.data.loading.coco_masks import to_code, to_mask
from vitbackbones.data.own import folder
from vitbackbones.data.own.pool import find_pool
from vitbackbones.errors import InputError

from ..test_messages import refused

CATEGORIES = [{'id': 4, 'name': 'cat'}, {'id': 2, 'name': 'dog'}]
COUNT = 24
BOX = (10.0, 12.0, 24.0, 20.0)


def box_of(number, place):
    return [10 + 40 * place, 12 + number % 7, 24, 20]


@pytest.fixture
def pets(tmp_path):
    """Pictures of noise with a cat and a dog on each, whose labels are right."""
    root, rng = tmp_path / 'pets', np.random.default_rng(0)
    (root / 'images').mkdir(parents=True)
    content = {'images': [], 'annotations': [], 'categories': CATEGORIES}
    for number in range(COUNT):
        pixels = rng.integers(0, 255, (6, 9, 3), np.uint8)
        picture = Image.fromarray(pixels).resize((96, 64), Image.Resampling.BICUBIC)
        picture.save(root / 'images' / f'{number}.png')
        size = {'width': 96, 'height': 64}
        content['images'].append({'id': number, 'file_name': f'{number}.png', **size})
        for place, category in enumerate((4, 2)):
            key = len(content['annotations']) + 1
            entry = {'id': key, 'image_id': number, 'category_id': category, 'iscrowd': 0}
            content['annotations'].append({**entry, 'bbox': box_of(number, place), 'area': 480})
    write(root, content)
    return root


def write(root, content):
    (root / 'labels.json').write_text(json.dumps(content))


def read(root):
    return json.loads((root / 'labels.json').read_text())


def boxes_in(root):
    """Names and boxes of each picture of a folder."""
    pool = find_pool(root)
    return {
        file.name: sorted((pool.classes[each['category_id']], *each['bbox']) for each in labels)
        for file, labels in zip(pool.files, pool.labels.values(), strict=True)
    }


@pytest.fixture
def truth(pets, monkeypatch):
    """Trainings that are over at once and find all that is in the pictures as they are now."""
    right = boxes_in(pets)

    def train(quick, folder, steps, say=lambda: None):
        say()
        found = []
        part = json.loads((folder / 'annotations' / 'instances_val.json').read_text())
        for image in part['images']:
            name = find_pool(pets).files[image['id']].name
            for category, (_, *box) in enumerate(right[name]):
                entry = {'image_id': image['id'], 'category_id': category, 'bbox': box}
                if quick.config == 'quick_instance':
                    code = to_code([ring(box)], 64, 96)
                    entry['segmentation'] = code | {'counts': code['counts'].decode()}
                found.append({**entry, 'score': 0.9})
        quick.found(folder).parent.mkdir(exist_ok=True)
        quick.found(folder).write_text(json.dumps(found))
        return 0.9

    monkeypatch.setattr(folds.Quick, 'train', train)
    monkeypatch.setattr(folds.Quick, 'steps_in', lambda quick, folder, seconds: 100)
    monkeypatch.setattr(folds.Quick, 'step_time', lambda quick, folder: 1.2)
    return right


def ring(box):
    """The polygon of a box without its corners."""
    x, y, w, h = box
    return [
        *(x + 6, y, x + w - 6, y, x + w, y + 5, x + w, y + h - 5),
        *(x + w - 6, y + h, x + 6, y + h, x, y + h - 5, x, y + 5),
    ]


def spoil(root):
    """Make one fault of each kind in the labels; return the kinds by picture."""
    content = read(root)
    labels = content['annotations']
    labels[2 * 3]['category_id'] = 2  # picture 3
    labels[2 * 5]['bbox'] = [6, 12, 34, 26]
    labels.append({**labels[2 * 7], 'id': 99, 'bbox': [60, 40, 24, 20]})
    del labels[2 * 9 + 1]
    write(root, content)
    return {'3.png': 'class', '5.png': 'loose', '7.png': 'spurious', '9.png': 'missing'}


def test_each_kind_of_fault_is_found_and_its_correction_comes_back(run, pets, truth, tmp_path):
    (tmp_path / 'disk').mkdir()
    for file in [*pets.rglob('*.png')]:  # images that are on another disk
        file.rename(tmp_path / 'disk' / file.name)
        file.symlink_to(tmp_path / 'disk' / file.name)
    faults = spoil(pets)
    result = run('audit', pets, '--out', 'out', '--folds', 2)
    assert '2 classes: cat, dog; 24 images' in result.out
    left = [line for line in result.out.splitlines() if line.endswith(' left')]
    assert left == ['fold 1 of 2, about 4 minutes left', 'fold 2 of 2, about 2 minutes left']
    content = json.loads((tmp_path / 'out' / 'faults.json').read_text())
    names = {each['id']: each['file_name'].rpartition('/')[2] for each in content['images']}
    first = {names[each['image_id']]: each['fault'] for each in content['annotations'][:4]}
    assert first == faults
    content['annotations'] = content['annotations'][:4]
    (tmp_path / 'out' / 'accepted.json').write_text(json.dumps(content))
    run('import', 'corrections', 'out/accepted.json', pets, 'corrected')
    assert boxes_in(tmp_path / 'corrected') == truth
    page = (tmp_path / 'out' / 'audit.html').read_text()
    assert 'labeled dog, but detected as cat with a score of 0.90' in page


@pytest.fixture
def outlined(pets):
    """The same pictures, with an outline of each label."""
    content = read(pets)
    for each in content['annotations']:
        each['segmentation'] = [ring(each['bbox'])]
    write(pets, content)
    return pets


def masks_in(root):
    """The masks of each picture of a folder, those of a class together."""
    pool = find_pool(root)
    found = {}
    for file, labels in zip(pool.files, pool.labels.values(), strict=True):
        drawn = np.zeros((2, 64, 96))
        for each in labels:
            drawn[each['category_id']] += to_mask(each['segmentation'], 64, 96)
        found[file.name] = drawn
    return found


def test_an_outline_is_corrected_and_what_is_added_has_one(run, outlined, truth, tmp_path):
    right = masks_in(outlined)
    faults = spoil(outlined) | {'11.png': 'outline'}
    content = read(outlined)
    label = next(each for each in content['annotations'] if each['image_id'] == 11)
    label['segmentation'] = [[*label['bbox'][:2], 34, label['bbox'][1], 34, 30]]
    write(outlined, content)
    result = run('audit', outlined, '--out', 'out', '--folds', 2)
    assert json.loads((tmp_path / 'out' / 'plan.json').read_text())['config'] == 'quick_instance'
    content = json.loads((tmp_path / 'out' / 'faults.json').read_text())
    names = {each['id']: each['file_name'].rpartition('/')[2] for each in content['images']}
    first = {names[each['image_id']]: each['fault'] for each in content['annotations'][:5]}
    assert first == faults
    (outline,) = (each for each in content['annotations'] if each['fault'] == 'outline')
    assert outline['segmentation']
    assert 'an inaccurate outline' in (tmp_path / 'out' / 'audit.html').read_text()
    content['annotations'] = content['annotations'][:5]
    (tmp_path / 'out' / 'accepted.json').write_text(json.dumps(content))
    run('import', 'corrections', 'out/accepted.json', outlined, 'corrected')
    assert boxes_in(tmp_path / 'corrected') == truth
    after = masks_in(tmp_path / 'corrected')
    for name in ('9.png', '11.png', '0.png'):
        assert np.abs(after[name] - right[name]).sum() < 20  # pixels, of 4 x 115 at its edge
    assert 'vitbackbones import corrections' in result.out


def test_an_audit_of_1_0_goes_on_with_boxes_where_labels_have_outlines(
    run, outlined, truth, tmp_path
):
    run('audit', outlined, '--out', 'out', '--folds', 2, '--config', 'quick_detector')
    file = tmp_path / 'out' / 'plan.json'
    plan = json.loads(file.read_text())
    del plan['config']  # which 1.0 did not write
    file.write_text(json.dumps(plan))
    run('audit', outlined, '--out', 'out', '--folds', 2)
    assert json.loads(file.read_text()) == plan


def test_an_audit_of_outlines_that_were_changed_is_not_gone_on_with(run, tool, outlined, truth):
    run('audit', outlined, '--out', 'out', '--folds', 2)
    content = read(outlined)
    content['annotations'][0]['segmentation'][0][0] += 1  # and its box stays
    write(outlined, content)
    refused(tool('audit', outlined, '--out', 'out', '--folds', 2), 'an audit of other images')


@pytest.fixture
def counts_epochs(tmp_path, monkeypatch):
    """A config that counts epochs, of which a probe of 48 images has 16 steps in each."""
    file = tmp_path / 'mine.py'
    file.write_text(
        "default_scope = 'mmdet'\n"
        'train_cfg = dict(max_epochs=12)\n'
        'train_dataloader = dict(batch_size=2)\n'
        "val_evaluator = dict(type='CocoMetric', metric='bbox')\n"
    )
    logged = [{'step': 5, 'loss': 1, 'time': 1}, {'step': 30, 'loss': 1, 'time': 1}, {'step': 99}]
    monkeypatch.setattr(audit_plan, 'records', lambda run: logged)
    return file


@pytest.mark.parametrize(('steps', 'epochs'), [(100, 17), (1, 1), (8, 1), (10, 2)])
def test_the_steps_of_a_fold_become_epochs_of_the_nearest_number(
    run, pets, truth, counts_epochs, tmp_path, monkeypatch, steps, epochs
):
    asked = []

    def steps_in(quick, folder, seconds, length):
        asked.append((folder, length))
        return steps

    trained = []
    train = folds.Quick.train
    monkeypatch.setattr(folds.Quick, 'steps_in', steps_in)
    monkeypatch.setattr(
        folds.Quick, 'train', lambda quick, *given: trained.append(given[1]) or train(quick, *given)
    )
    given = ('audit', pets, '--out', 'out', '--folds', 2, '--config', counts_epochs)
    run(*given)
    # 12 images of a fold in batches of 2: five epochs of a probe have 30 steps
    assert asked == [(tmp_path / 'out' / 'few', 5)]
    few = json.loads((tmp_path / 'out/few/annotations/instances_train.json').read_text())
    val = json.loads((tmp_path / 'out/few/annotations/instances_val.json').read_text())
    assert (len(few['images']), len(val['images'])) == (12, 2)
    plan = json.loads((tmp_path / 'out' / 'plan.json').read_text())
    assert plan['config'] == str(counts_epochs)
    assert (plan['epochs'], plan['steps']) == (epochs, 6 * epochs)
    assert plan['seconds'] == pytest.approx(6 * epochs * 1.2)
    assert trained == [epochs] * 2
    run(*given)  # and the second time as planned
    assert (trained, len(asked)) == ([epochs] * 4, 1)


def test_an_audit_with_another_config_is_not_gone_on_with(
    run, tool, pets, truth, counts_epochs, tmp_path
):
    given = ('audit', pets, '--out', 'out', '--folds', 2)
    run(*given)
    again = run(*given, '--config', 'quick_detector')  # the same
    assert '100 steps of training' in again.out
    refused(tool(*given, '--config', counts_epochs), 'or with another config; choose another')


def test_a_config_that_learns_outlines_needs_them(tool, pets, outlined, truth, tmp_path):
    content = read(outlined)
    for each in content['annotations']:
        each['segmentation'] = []
    write(outlined, content)
    result = tool('audit', outlined, '--config', 'quick_instance')
    refused(result, '--config quick_instance: learns outlines of objects, but most labels in')


def test_outlines_are_left_out_where_the_config_is_for_boxes(run, outlined, truth, tmp_path):
    run('audit', outlined, '--out', 'out', '--folds', 2, '--config', 'quick_detector')
    assert json.loads((tmp_path / 'out' / 'plan.json').read_text())['config'] == 'quick_detector'
    content = json.loads((tmp_path / 'out' / 'faults.json').read_text())
    assert not any(ann['segmentation'] for ann in content['annotations'])


def test_a_weak_audit_with_a_config_is_repeated_with_it(
    run, pets, truth, counts_epochs, monkeypatch
):
    monkeypatch.setattr(folds.Quick, 'steps_in', lambda *given: 100)
    train = folds.Quick.train
    monkeypatch.setattr(folds.Quick, 'train', lambda *given: train(*given) / 9)
    monkeypatch.setattr(audit, 'of_boxes', lambda *_: [])
    said = run('audit', pets, '--out', 'out', '--folds', 2, '--config', counts_epochs).out
    assert said.splitlines()[-1].endswith(f'_longer --config {counts_epochs}')


def test_the_time_that_is_left_follows_the_speed_of_the_training(tmp_path, capsys):
    run_dir = tmp_path / 'fold_1_run' / '20260101_000000' / 'vis_data'
    run_dir.mkdir(parents=True)
    lines = [{'step': 25, 'loss': 2, 'time': 9}, {'step': 50, 'loss': 1, 'time': 3.6}]
    lines += [{'step': 50, 'mIoU': 7, 'time': 99}]
    (run_dir / 'scalars.json').write_text('\n'.join(map(json.dumps, lines)))
    job = audit.Audit(tmp_path, None, folds.DETECTOR, tmp_path, 3, 20)
    plan = audit.Plan(np.zeros(3), 100, 120.0, 100)
    for number in range(3):
        audit._say_time(job, plan, number)
    assert capsys.readouterr().out.splitlines() == [
        'fold 1 of 3, about 6 minutes left',
        'fold 2 of 3, about 9 minutes left',
        'fold 3 of 3, about 2 minutes left',
    ]


def test_folds_on_a_cluster_are_those_of_one_machine(run, pets, truth, tmp_path, monkeypatch):
    def tasks(address, function, given):
        assert address == 'auto'
        return (function(*each) for each in given)

    spoil(pets)
    run('audit', pets, '--out', 'alone', '--folds', 2)
    monkeypatch.setattr(audit, 'run_tasks', tasks)
    result = run('audit', pets, '--out', 'out', '--folds', 2, '--ray', 'auto')
    assert 'fold 2 of 2: coco/bbox_mAP_50 0.9' in result.out
    assert '2 folds on auto, about 2 minutes for each' in result.out
    found = [(tmp_path / name / 'faults.json').read_text() for name in ('alone', 'out')]
    assert found[0] == found[1]


def test_what_was_reviewed_in_a_tool_takes_the_place_of_all_labels_of_a_picture(
    run, pets, truth, tmp_path
):
    spoil(pets)
    run('audit', pets, '--out', 'out', '--folds', 2)
    content = json.loads((tmp_path / 'out' / 'cvat.json').read_text())
    image = next(each for each in content['images'] if each['file_name'].endswith('/3.png'))
    kept = [each for each in content['annotations'] if each['image_id'] == image['id']]
    image = {key: image[key] for key in ('id', 'width', 'height')} | {'file_name': 'ab12cd34-3.png'}
    reviewed = content | {'images': [image], 'annotations': [kept[0] | {'bbox': [1, 2, 30, 40]}]}
    (tmp_path / 'out' / 'reviewed.json').write_text(json.dumps(reviewed))
    run('import', 'corrections', 'out/reviewed.json', pets, 'corrected')
    after, before = boxes_in(tmp_path / 'corrected'), boxes_in(pets)
    assert [each[1:] for each in after.pop('3.png')] == [(1, 2, 30, 40)]
    del before['3.png']
    assert after == before
    (task, *_) = json.loads((tmp_path / 'out' / 'label_studio.json').read_text())
    assert task['data']['image'] == f'/data/local-files/?d={pets.name}/images/3.png'
    result = task['predictions'][0]['result'][0]
    assert {'x', 'y', 'width', 'height', 'rectanglelabels'} == result['value'].keys()
    assert (result['original_width'], result['original_height']) == (96, 64)  # its exports ask


def test_a_picture_is_known_by_the_end_of_its_path(run, tool, pets, truth, tmp_path):
    (pets / 'images' / 'more').mkdir()
    (pets / 'images' / '4.png').rename(pets / 'images' / 'more' / '3.png')
    content = read(pets)
    content['images'][4]['file_name'] = 'more/3.png'
    content['annotations'][8]['bbox'] = [60, 40, 20, 20]
    write(pets, content)
    run('audit', pets, '--out', 'out', '--folds', 2)
    image = {'id': 0, 'width': 96, 'height': 64}
    box = {'id': 1, 'image_id': 0, 'category_id': 4, 'bbox': [1, 2, 30, 40], 'area': 1200}
    for name in ('../tmp/pets/images/more/3.png', '3.png'):  # the second is that of two pictures
        reviewed = {'images': [image | {'file_name': name}], 'annotations': [box]}
        reviewed['categories'] = CATEGORIES
        (tmp_path / 'out' / 'reviewed.json').write_text(json.dumps(reviewed))
        result = tool('import', 'corrections', 'out/reviewed.json', pets, f'to_{len(name)}')
        assert result.status == (0 if 'more' in name else 2)
    assert "'3.png' is not an image" in result.err
    pool = find_pool(tmp_path / 'to_29')
    sizes = {file.parent.name: len(pool.labels[row]) for row, file in enumerate(pool.files)}
    assert sizes == {'more': 1, 'images': 2}


@pytest.mark.parametrize('changed', ['picture', 'labels'])
def test_corrections_of_what_has_changed_are_refused(run, tool, pets, truth, tmp_path, changed):
    spoil(pets)
    run('audit', pets, '--out', 'out', '--folds', 2)
    if changed == 'picture':
        Image.new('RGB', (96, 64)).save(pets / 'images' / '3.png')
    else:
        content = read(pets)
        content['annotations'][2 * 3 + 1]['bbox'][0] += 1
        write(pets, content)
    result = tool('import', 'corrections', 'out/faults.json', pets, 'corrected')
    assert result.status == 2
    assert 'have changed since the audit' in result.err
    assert 'images/3.png' in result.err
    assert not (tmp_path / 'corrected').exists()


def test_near_duplicates_are_named_and_stay_in_one_fold(run, pets, truth, tmp_path):
    with Image.open(pets / 'images' / '3.png') as picture:
        picture.resize((48, 32)).save(pets / 'images' / '4.png')
    result = run('audit', pets, '--out', 'out', '--folds', 2)
    assert '1 group of near duplicates, 0 of them across splits' in result.out
    parts = [tmp_path / 'out' / f'fold_{fold}' / 'annotations' for fold in range(2)]
    parts = [json.loads((part / 'instances_val.json').read_text())['images'] for part in parts]
    rows = [{each['id'] for each in part} for part in parts]
    assert sorted(len({3, 4} & each) for each in rows) == [0, 2]
    assert '3.png; 4.png' in (tmp_path / 'out' / 'audit.html').read_text()


def test_an_audit_of_other_labels_is_not_gone_on_with(run, tool, pets, truth):
    run('audit', pets, '--out', 'out', '--folds', 2)
    spoil(pets)
    result = tool('audit', pets, '--out', 'out', '--folds', 2)
    assert result.status == 2
    assert 'contains an audit of other images, labels, folds or minutes' in result.err


def test_too_few_pictures_for_the_folds(tool, pets):
    result = tool('audit', pets, '--folds', 13)
    assert result.status == 2
    assert '--folds 13: there are 24 images' in result.err


def test_where_nothing_is_learned_the_reason_is_looked_for_elsewhere(tool, pets, monkeypatch):
    monkeypatch.setattr(folds.Quick, 'steps_in', lambda quick, folder, seconds: 100)
    monkeypatch.setattr(folds.Quick, 'step_time', lambda quick, folder: 1.2)
    monkeypatch.setattr(folds.Quick, 'train', lambda quick, folder, steps, say: 0.01)
    result = tool('audit', pets, '--out', 'out')
    assert result.status == 2
    assert 'Train longer with --minutes, or find the reason with: ' in result.err
    assert f'train quick_detector --data-root {pets} --overfit 8' in result.err


def test_a_curve_says_whether_more_pictures_help(run, pets, truth, tmp_path):
    result = run('audit', pets, '--out', 'out', '--folds', 2, '--curve')
    assert 'quarter       3 images  coco/bbox_mAP_50 0.900' in result.out
    assert 'more images hardly help' in result.out
    part = json.loads((tmp_path / 'out' / 'half' / 'annotations/instances_train.json').read_text())
    held_out = tmp_path / 'out' / 'fold_0' / 'annotations' / 'instances_val.json'
    rows = {each['id'] for each in json.loads(held_out.read_text())['images']}
    assert len(part['images']) == 6
    assert rows.isdisjoint(each['id'] for each in part['images'])


@pytest.mark.parametrize(
    ('likelihood', 'reached', 'places', 'is_weak'),
    [(0.09, 0.1, '1 place', True), (0.04, 0.1, '0 places', True), (0.09, 0.9, '1 place', False)],
)
def test_a_weak_audit_says_how_sure_it_is_and_what_to_do(
    run, pets, truth, monkeypatch, likelihood, reached, places, is_weak
):
    train, doubt = folds.Quick.train, Suspicion(likelihood, 3, 'spurious', 7, BOX, 0, '')
    monkeypatch.setattr(folds.Quick, 'train', lambda *given: train(*given) * reached / 0.9)
    monkeypatch.setattr(audit, 'of_boxes', lambda *_: [doubt])
    said = run('audit', pets, '--out', 'out', '--folds', 2, '--minutes', 0.5).out.splitlines()
    (place,) = (line for line in said if 'where a label may be wrong' in line)
    assert place.startswith(f'{places} where a label may be wrong')
    assert ('highest likelihood 0.09' in place) == (places == '1 place')
    if is_weak:
        assert f'highest likelihood is {likelihood:.2f}, and coco/bbox_mAP_50 is 0.10' in said[-1]
        assert said[-1].endswith(
            f'audit {pets} --minutes 1.5 --out {Path("out").absolute()}_longer'
        )


def test_a_sure_audit_ends_with_what_to_do_after_a_look(run, pets, truth):
    spoil(pets)
    *_, advice, command = run('audit', pets, '--out', 'out', '--folds', 2).out.splitlines()
    assert advice.startswith('open the page, accept or reject each suggestion')
    assert command == f'vitbackbones import corrections corrections.json {pets} CORRECTED'
    page = Path('out/audit.html').read_text()
    assert f'<code>{command}</code>' in page
    assert page.count('data-entry="') >= 1
    assert "script-src 'sha256-" in page


@pytest.mark.parametrize(
    'plan',
    [
        '7',
        '"x"',
        'null',
        '[]',
        '{"steps": "many"}',
        '{"steps": [1]}',
        '{"steps": 1e9}',
        '{"seconds": "x"}',
    ],
)
def test_a_plan_of_another_form_is_refused(tool, pets, truth, tmp_path, plan):
    (tmp_path / 'out').mkdir()
    (tmp_path / 'out' / 'plan.json').write_text(plan)
    result = tool('audit', pets, '--out', 'out')
    assert result.status == 2
    assert 'plan.json: is not the plan of an audit; choose another --out' in result.err


def test_an_audit_of_1_0_continues(run, tool, pets, truth):
    """Its plan does not contain the minutes."""
    given = ('audit', pets, '--out', 'out', '--folds', 2)
    run(*given)
    plan = Path('out/plan.json')
    content = json.loads(plan.read_text())
    plan.write_text(json.dumps({key: content[key] for key in ('labels', 'folds', 'steps')}))
    assert f'{content["steps"]} steps of training' in run(*given, '--minutes', 3).out
    plan.write_text(json.dumps(content))
    refused(tool(*given, '--minutes', 3), 'contains an audit of other images, labels, folds or min')


@pytest.mark.parametrize('minutes', ['-1', '0', 'nan', 'inf'])
def test_minutes_are_a_time(run, pets, capsys, minutes):
    with pytest.raises(SystemExit):
        run('audit', pets, f'--minutes={minutes}')
    assert f'{minutes} is not a number above 0' in capsys.readouterr().err


def test_what_is_no_folder_of_data_is_refused_early(tool, pets, monkeypatch):
    monkeypatch.setattr(folder, 'MOST', 5)
    for number in range(6):
        (pets / str(number)).mkdir()
    result = tool('audit', pets)
    assert result.status == 2
    assert (
        result.err
        == f'error: {pets}: contains more than 5 folders. Give the folder of the dataset\n'
    )


@pytest.mark.parametrize('status', [0, 2])
def test_the_probe_is_heard_only_where_it_fails(pets, tmp_path, monkeypatch, capfd, status):
    code = f'import os; print("probed", os.environ[{folds.PART!r}]); raise SystemExit({status})'
    monkeypatch.setattr(folds, 'TRAIN', [sys.executable, '-c', code])
    monkeypatch.setattr(folds, 'records', lambda run: [{'step': 20, 'time': 1.0}])
    if status:
        with pytest.raises(InputError, match='cannot be trained on'):
            folds.DETECTOR.steps_in(tmp_path / 'fold_0', 600)
    else:
        assert folds.DETECTOR.steps_in(tmp_path / 'fold_0', 600) == 600
    assert ('probed 1' in capfd.readouterr().err) == bool(status)


def test_pictures_to_pick_from_are_those_that_are_not_labeled(pets, tmp_path, capsys):
    pool = find_pool(pets)
    unlabeled = tmp_path / 'unlabeled'
    unlabeled.mkdir()
    rng = np.random.default_rng(7)
    for name in ('b', 'a'):
        pixels = rng.integers(0, 255, (6, 9, 3), np.uint8)
        Image.fromarray(pixels).resize((96, 64)).save(unlabeled / f'{name}.png')
    shutil.copy(pool.files[0], unlabeled / 'c.png')
    assert audit._unlabeled(pool, ['3', str(unlabeled)]) == audit.Unlabeled(
        3, [unlabeled / 'a.png', unlabeled / 'b.png']
    )
    assert capsys.readouterr().out.startswith('1 of 3 ')
    (unlabeled / 'c.png').unlink()
    assert len(audit._unlabeled(pool, ['1', str(unlabeled)]).files) == 2
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize(
    ('number', 'folder'), [('0', '.'), ('-1', '.'), ('two', '.'), ('2', 'nowhere'), ('2', 'empty')]
)
def test_what_cannot_be_picked_is_refused(pets, tmp_path, number, folder):
    (tmp_path / 'empty').mkdir()
    pool = find_pool(pets)
    place = pets if folder == '.' else tmp_path / folder
    with pytest.raises(InputError, match=f'--pick {number} {place}'):
        audit._unlabeled(pool, [number, str(place)])


def test_all_that_is_labeled_is_nothing_to_pick(pets, tmp_path):
    unlabeled = tmp_path / 'unlabeled'
    unlabeled.mkdir()
    pool = find_pool(pets)
    shutil.copy(pool.files[0], unlabeled)
    with pytest.raises(InputError, match='already labeled'):
        audit._unlabeled(pool, ['2', str(unlabeled)])
