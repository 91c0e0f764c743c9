"""The page of an audit in a real Chromium: decisions by buttons and keys, kept and saved."""

import json
import shutil

import pytest
from PIL import Image

from vitbackbones.audit.listing import LIST, for_review, write_lists
from vitbackbones.audit.page import sections
from vitbackbones.audit.suspicion import Suspicion
from vitbackbones.data.own.pool import find_pool
from vitbackbones.importing.coco import import_corrections
from vitbackbones.importing.source import Source
from vitbackbones.reports.page import write_page

playwright = pytest.importorskip('playwright.sync_api')
CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason='no Chromium here')
EVIL = '</script><script>document.title = "ran"</script>'
LONG = 1234567890123456789  # more digits than a number of JavaScript has


@pytest.fixture
def root(tmp_path):
    """A data set of two images with three labels, one of them with a long id."""
    root = tmp_path / 'own'
    (root / 'images').mkdir(parents=True)
    for name in 'ab':
        Image.new('RGB', (96, 64), (90, 90, 90)).save(root / 'images' / f'{name}.png')
    images = [
        {'id': i, 'file_name': f'{n}.png', 'width': 96, 'height': 64}
        for i, n in ((1, 'a'), (2, 'b'))
    ]
    boxes = {LONG: (1, [5, 5, 20, 20]), 8: (1, [40, 5, 20, 20]), 9: (2, [5, 5, 30, 30])}
    anns = [
        {'id': key, 'image_id': image, 'category_id': image, 'bbox': box, 'area': 400, 'iscrowd': 0}
        for key, (image, box) in boxes.items()
    ]
    categories = [{'id': 1, 'name': 'cat'}, {'id': 2, 'name': EVIL}]
    content = {'images': images, 'annotations': anns, 'categories': categories}
    (root / 'instances.json').write_text(json.dumps(content))
    return root


@pytest.fixture
def audited(root, tmp_path):
    """Write the page of an audit that doubts all labels; return it and the pool."""
    pool = find_pool(root)
    a, b = (next(i for i, f in enumerate(pool.files) if f.stem == n) for n in 'ab')
    ids = {tuple(ann['bbox'][:2]): ann['label_id'] for ann in pool.labels[a]}
    far, near = ids[40, 5], ids[5, 5]
    (other,) = (ann['label_id'] for ann in pool.labels[b])
    listed = [
        Suspicion(0.9, a, 'class', near, (5, 5, 20, 20), 1, EVIL),
        Suspicion(0.8, a, 'loose', near, (6, 6, 22, 22), 0, 'twice'),
        Suspicion(0.7, a, 'spurious', far, (40, 5, 20, 20), 0, 'why'),
        Suspicion(0.6, b, 'missing', None, (50, 20, 20, 20), 1, 'why'),
        Suspicion(0.5, b, 'spurious', other, (5, 5, 30, 30), 0, 'why'),
    ]
    out = tmp_path / 'audit'
    out.mkdir()
    content = write_lists(out, pool, listed)
    review = for_review(content, 100, 'vitbackbones import corrections')
    return write_page(out, 'audit', None, sections(pool, [], listed), {}, 'audit.html', review)


@pytest.fixture(scope='module')
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=['--no-sandbox'])
        yield opened
        opened.close()


@pytest.fixture
def tab(browser, audited):
    """The page in a browser of its own, whose errors and requests are collected."""
    context = browser.new_context()
    opened = context.new_page()
    opened.faults = []
    opened.on('pageerror', lambda error: opened.faults.append(str(error)))
    opened.on(
        'console', lambda said: opened.faults.append(said.text) if said.type == 'error' else 0
    )
    opened.asked = []
    opened.on('request', lambda request: opened.asked.append(request.url))
    opened.goto(audited.as_uri())
    yield opened
    assert opened.faults == []
    assert not [url for url in opened.asked if not url.startswith(('file:', 'data:', 'blob:'))]
    assert opened.title() == 'audit'  # no text of the data has run
    context.close()


def status(tab):
    return tab.inner_text('#status')


def saved(tab, folder):
    with tab.expect_download() as waiting:
        tab.click('#save')
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def choices(tab):
    return [
        figure.get_attribute('data-choice')
        for figure in tab.query_selector_all('figure[data-entry]')
    ]


def test_what_is_accepted_is_saved_and_imported(tab, root, tmp_path):
    assert status(tab) == '0 of 5 decided, 0 accepted.'
    assert tab.is_disabled('#save')
    tab.keyboard.press('a')  # the first, then on to the next
    tab.keyboard.press('s')
    tab.keyboard.press('R')  # with the Caps Lock
    tab.click('figure[data-entry="4"] >> text=accept')
    assert choices(tab) == ['accept', 'skip', 'reject', 'accept', '']
    assert status(tab) == '4 of 5 decided, 2 accepted.'

    file = saved(tab, tmp_path)
    assert file.name == 'corrections.json'
    content = json.loads(file.read_text())
    listed = json.loads((tmp_path / 'audit' / LIST).read_text())
    chosen = [ann for ann in listed['annotations'] if ann['id'] in (1, 4)]
    assert content['annotations'] == chosen  # to the last digit
    assert content['images'] == listed['images']
    assert content['categories'] == listed['categories']
    out = tmp_path / 'corrected'
    out.mkdir()
    said = import_corrections(Source(root), file, out, copy=True)
    assert said == '2 annotations of 2 images applied'
    (corrected,) = out.rglob('*.json')
    names = {c['id']: c['name'] for c in json.loads(corrected.read_text())['categories']}
    found = [names[ann['category_id']] for ann in json.loads(corrected.read_text())['annotations']]
    assert sorted(found) == [EVIL, EVIL, EVIL, 'cat']


def test_decisions_are_kept_in_the_browser_for_this_list_alone(tab):
    for key in 'arj':
        tab.keyboard.press(key)
    tab.keyboard.press('s')
    before = choices(tab)
    assert before == ['accept', 'reject', '', 'skip', '']
    tab.reload()
    assert choices(tab) == before
    assert tab.get_attribute('figure.current', 'data-entry') == '3'  # the first without a decision
    tab.evaluate('localStorage.setItem(localStorage.key(0), "{\\"9\\": 1, \\"1\\": \\"no\\"}")')
    tab.reload()
    assert choices(tab) == [''] * 5
    tab.evaluate('localStorage.setItem(localStorage.key(0), "no json")')
    tab.reload()
    tab.keyboard.press('a')
    assert choices(tab)[0] == 'accept'


def test_a_decision_is_taken_back_or_changed(tab):
    for _ in range(2):
        tab.click('figure[data-entry="3"] >> text=accept')
    assert choices(tab) == [''] * 5
    tab.keyboard.press('a')  # on the one that was clicked
    tab.keyboard.press('k')
    tab.keyboard.press('r')
    assert choices(tab) == ['', '', 'reject', '', '']
    assert tab.is_disabled('#save')
    tab.keyboard.press('Control+a')
    assert choices(tab)[3] == ''


def test_a_label_has_one_correction(tab):
    tab.keyboard.press('a')
    tab.keyboard.press('a')
    assert choices(tab)[:2] == ['skip', 'accept']
    tab.keyboard.press('a')
    tab.keyboard.press('a')
    assert choices(tab) == ['skip', 'accept', 'accept', 'accept', '']  # of other labels, or of none


def test_a_browser_that_keeps_nothing_says_so(browser, audited):
    context = browser.new_context()
    tab = context.new_page()
    tab.add_init_script('Object.defineProperty(window, "localStorage", {get() {throw Error()}})')
    tab.goto(audited.as_uri())
    assert status(tab).endswith('save before you close the page.')
    tab.keyboard.press('a')
    assert not tab.is_disabled('#save')
    context.close()
