"""The page of a server in a real Chromium: at two widths, by keyboard alone, with a camera."""

import shutil
from base64 import b64encode
from io import BytesIO

import pytest
from PIL import Image

pytest.importorskip('fastapi')
playwright = pytest.importorskip('playwright.sync_api')

from tests.runtime.graphs import write_classifier, write_segmentor  # noqa: E402
from tests.serving.servers import CLASSES, detector, running  # noqa: E402
from vitbackbones.inference.open import ExportedModel  # noqa: E402

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason='no Chromium here')
CAMERA = ('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream')
WIDTHS = {'phone': (375, 700), 'desktop': (1280, 900)}
DROP = """content => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(content), c => c.charCodeAt(0));
    data.items.add(new File([bytes], 'a.png', {type: 'image/png'}));
    document.getElementById('drop').dispatchEvent(
        new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


@pytest.fixture(scope='module')
def browser():
    with playwright.sync_playwright() as started:
        arguments = ['--no-sandbox', *CAMERA]
        opened = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@pytest.fixture(scope='module')
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp('model') / 'model.onnx'
    detector(path)
    return path


@pytest.fixture(scope='module')
def address(file):
    with running(ExportedModel(file)) as found:
        yield found


@pytest.fixture
def picture(tmp_path):
    Image.new('RGB', (320, 320), (250, 250, 250)).save(tmp_path / 'a.png')
    return tmp_path / 'a.png'


@pytest.fixture(params=WIDTHS)
def open_page(browser, request):
    """Open a server's page; what it logs and what it asks elsewhere is an error."""
    width, height = WIDTHS[request.param]
    context = browser.new_context(viewport={'width': width, 'height': height})
    asked, faults = [], []
    allowed, forgiven = ['blob:', 'data:'], []

    def call(address, expected=()):
        tab = context.new_page()
        tab.on('pageerror', lambda error: faults.append(str(error)))
        tab.on('console', lambda said: faults.append(said.text) if said.type == 'error' else 0)
        tab.on('request', lambda sent: asked.append(sent.url))
        tab.goto(address)
        tab.wait_for_function('() => document.title === "tiny"')
        allowed.append(address)
        forgiven.extend(expected)
        return tab

    yield call
    assert [url for url in asked if not url.startswith(tuple(allowed))] == []
    assert [text for text in faults if not any(each in text for each in forgiven)] == []
    context.close()


def waits_for(tab, text):
    tab.wait_for_function(
        'text => document.getElementById("status").textContent.includes(text)', arg=text
    )


def pixel(tab, x, y):
    image = 'document.getElementById("canvas").getContext("2d").getImageData(x, y, 1, 1)'
    return tab.evaluate(f'([x, y]) => [...{image}.data]', [x, y])


def fits(tab):
    """Return whether nothing is wider than the window."""
    return tab.evaluate('document.documentElement.scrollWidth <= window.innerWidth')


def test_objects_are_drawn_and_listed_above_the_threshold(open_page, address, picture):
    tab = open_page(address)
    assert tab.inner_text('#about').startswith('detection, 3 classes, ONNX Runtime')
    tab.set_input_files('#file', picture)
    waits_for(tab, '2 of 3 objects in ')
    names = [each.inner_text() for each in tab.query_selector_all('#list li span:nth-child(2)')]
    assert names == CLASSES[:2]  # as text, not as a script
    assert tab.title() == 'tiny'
    white, inside, hidden = pixel(tab, 310, 20), pixel(tab, 120, 150), pixel(tab, 15, 75)
    assert white[:3] == hidden[:3] == [250, 250, 250]
    assert inside[:3] != white[:3]  # the mask
    tab.fill('#slider', '0.1')
    waits_for(tab, '3 of 3 objects')
    assert tab.inner_text('#value') == '0.10'
    assert pixel(tab, 15, 75)[:3] != hidden[:3]
    assert fits(tab)


def choose(tab, picture):
    """Press Space on the file input; a browser that is too busy forgets that a user did."""
    for last in (False, False, True):
        try:
            with tab.expect_file_chooser(timeout=10_000) as waiting:
                tab.keyboard.press('Space')
        except playwright.TimeoutError:
            if last:
                raise
        else:
            waiting.value.set_files(picture)
            return


def test_the_keyboard_alone_is_enough(open_page, address, picture):
    tab = open_page(address)
    tab.keyboard.press('Tab')
    assert tab.evaluate('document.activeElement.id') == 'file'
    choose(tab, picture)
    waits_for(tab, '2 of 3 objects in ')
    seen = []
    while 'slider' not in seen:
        tab.keyboard.press('Tab')
        seen.append(tab.evaluate('document.activeElement.id'))
        assert len(seen) < 10
    assert seen == ['camera', 'slider']
    outline = 'getComputedStyle(document.activeElement).outlineStyle'
    assert tab.evaluate(outline) == 'solid'
    tab.keyboard.press('End')
    waits_for(tab, '0 of 3 objects')
    tab.keyboard.press('Home')
    waits_for(tab, '3 of 3 objects')


def test_a_picture_is_dropped_and_one_that_is_none_says_so(open_page, address, picture, tmp_path):
    tab = open_page(address, expected=['422'])
    tab.evaluate(DROP, b64encode(picture.read_bytes()).decode())
    waits_for(tab, '2 of 3 objects in ')
    (tmp_path / 'no.png').write_text('no picture')
    tab.set_input_files('#file', tmp_path / 'no.png')
    waits_for(tab, 'not an image of a known format')
    assert tab.get_attribute('#status', 'class') == 'error'
    content = BytesIO()
    Image.new('RGB', (64, 32)).save(content, 'TIFF')  # which Chromium cannot show
    tab.set_input_files(
        '#file', {'name': 'a.tif', 'mimeType': 'image/tiff', 'buffer': content.getvalue()}
    )
    waits_for(tab, '2 of 3 objects in ')
    assert tab.evaluate('document.getElementById("canvas").width') == 64


def test_the_camera_takes_a_picture(open_page, address):
    tab = open_page(address)
    tab.click('#camera')
    tab.wait_for_selector('#shoot', state='visible')
    tab.click('#shoot')
    waits_for(tab, '2 of 3 objects in ')
    assert fits(tab)
    tab.click('#camera')
    assert not tab.is_visible('#video')
    assert tab.inner_text('#camera') == 'Use the camera'


def test_a_token_is_asked_for(open_page, file, picture):
    with running(ExportedModel(file), token='s3cret') as address:
        tab = open_page(address, expected=['401'])
        tab.set_input_files('#file', picture)
        waits_for(tab, 'the token is missing or wrong')
        assert tab.evaluate('document.activeElement.id') == 'token'
        tab.keyboard.type('s3cret')
        tab.keyboard.press('Tab')
        tab.keyboard.press('Enter')
        waits_for(tab, '2 of 3 objects in ')


def test_classes_and_areas_are_listed(open_page, tmp_path, picture):
    write_classifier(tmp_path / 'cls.onnx', classes=CLASSES, size=(None, None))
    with running(ExportedModel(tmp_path / 'cls.onnx'), 'classification') as address:
        tab = open_page(address)
        tab.fill('#slider', '0') if tab.is_visible('#slider') else None
        tab.set_input_files('#file', picture)
        waits_for(tab, 'of 3 best classes in ')
    write_segmentor(tmp_path / 'seg.onnx', classes=CLASSES)
    with running(ExportedModel(tmp_path / 'seg.onnx'), 'segmentation') as address:
        tab = open_page(address)
        tab.set_input_files('#file', picture)
        waits_for(tab, 'classes in ')
        assert not tab.is_visible('#slider')
        assert '%' in tab.inner_text('#list')
        assert pixel(tab, 5, 5)[:3] != [250, 250, 250]
        assert fits(tab)
