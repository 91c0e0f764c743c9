"""The routes of a server: answers of ``predict``, limits, and requests of any kind."""

import json
import logging
import random
import socket
import time
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from threading import Event
from zlib import crc32

import httpx
import numpy as np
import pytest
from PIL import Image

pytest.importorskip('fastapi')
pytest.importorskip('prometheus_client')

from tests.runtime.graphs import write_classifier, write_segmentor  # noqa: E402
from tests.serving.servers import CLASSES, detector, running, service  # noqa: E402
from vitbackbones.errors import InputError  # noqa: E402
from vitbackbones.inference.open import ExportedModel, open_model  # noqa: E402
from vitbackbones.serving.app import listen  # noqa: E402
from vitbackbones.utils.orientation import ORIENTATION  # noqa: E402

PICKED = 200  # malformed requests
REFUSED = {400, 404, 405, 413, 422, 431, 501}


def encoded(size=(64, 48), kind='PNG', color=(200, 60, 20), **options):
    content = BytesIO()
    Image.new('RGB', size, color).save(content, kind, **options)
    return content.getvalue()


@pytest.fixture(scope='module')
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp('model') / 'model.onnx'
    detector(path)
    return path


@pytest.fixture(scope='module')
def client(file):
    with running(ExportedModel(file)) as address, httpx.Client(base_url=address) as opened:
        yield opened


def detail(reply, status):
    assert reply.status_code == status, reply.text
    return reply.json()['detail']


def test_an_answer_is_what_the_model_finds(client, file):
    reply = client.post('/predict', content=encoded()).json()
    wanted = open_model(file).predict(Image.open(BytesIO(encoded())))[0].to_coco()
    assert reply == {'file_name': 'picture', 'width': 64, 'height': 48, 'objects': wanted}
    form = client.post('/predict', files={'file': ('a b.png', encoded())}).json()
    assert form == reply | {'file_name': 'a b.png'}
    asked = {'masks': 'polygons', 'score_threshold': 0.5}
    (first, second) = client.post('/predict', content=encoded(), params=asked).json()['objects']
    assert (first['score'], second['score']) == (0.9, 0.6)
    assert isinstance(first['segmentation'][0], list)


def test_an_answer_in_coco_form_is_an_annotation_file(client):
    reply = client.post('/predict', content=encoded(), params={'format': 'coco'}).json()
    assert reply['images'] == [{'id': 1, 'file_name': 'picture', 'width': 64, 'height': 48}]
    assert [each['name'] for each in reply['categories']] == CLASSES
    assert [(e['id'], e['image_id'], e['category_id']) for e in reply['annotations']] == [
        (1, 1, 1),
        (2, 1, 2),
        (3, 1, 3),
    ]


def test_boxes_are_in_the_picture_as_it_is_seen(client):
    exif = Image.Exif()
    exif[ORIENTATION] = 6  # of a phone that was held upright
    reply = client.post('/predict', content=encoded((64, 32), 'JPEG', exif=exif)).json()
    assert (reply['width'], reply['height']) == (32, 64)


def test_classes_and_masks_are_in_the_answer(tmp_path):
    write_classifier(tmp_path / 'cls.onnx', classes=CLASSES, size=(None, None))
    with running(ExportedModel(tmp_path / 'cls.onnx'), 'classification') as address:
        best = httpx.post(f'{address}/predict', content=encoded()).json()['best']
        assert [each['label'] for each in best] == [0, 1, 2]
        text = detail(httpx.post(f'{address}/predict?format=coco', content=encoded()), 422)
        assert text == 'format=coco is not supported for classification'
    write_segmentor(tmp_path / 'seg.onnx', classes=CLASSES)
    with running(ExportedModel(tmp_path / 'seg.onnx'), 'segmentation') as address:
        reply = httpx.post(f'{address}/predict', content=encoded()).json()
        assert reply['classes'] == {'cat': 1.0}
        kind, _, text = reply['mask'].partition(',')
        assert kind == 'data:image/png;base64'
        mask = np.asarray(Image.open(BytesIO(b64decode(text))))
        assert mask.shape == (48, 64)
        assert not mask.any()


def test_a_model_whose_masks_cannot_be_written_is_refused_at_the_start(tmp_path):
    write_segmentor(tmp_path / 'seg.onnx', classes=[f'class {i}' for i in range(256)])
    model = ExportedModel(tmp_path / 'seg.onnx')
    with pytest.raises(InputError, match='256 classes do not fit into 8-bit masks'):
        service(model, 'segmentation')


def test_too_many_bytes_or_pixels(client):
    noise = np.random.default_rng(0).integers(0, 255, (700, 700, 3), np.uint8)
    large = BytesIO()
    Image.fromarray(noise).save(large, 'PNG')
    assert len(large.getvalue()) > 10**6
    for given in ({'content': large.getvalue()}, {'files': {'file': large.getvalue()}}):
        assert 'the request has more than' in detail(client.post('/predict', **given), 413)

    def parts():
        for _ in range(40):  # and no Content-Length
            yield bytes(10**5)

    assert 'more than 1,000,000 bytes' in detail(client.post('/predict', content=parts()), 413)
    text = detail(client.post('/predict', content=encoded((1500, 1000))), 413)
    assert text == 'picture: its 1500 x 1000 pixels are more than the limit of 1,000,000'
    huge = encoded((20_000, 1), 'PNG')
    header = b'IHDR' + (20_000).to_bytes(4, 'big') * 2 + huge[24:29]  # claims them
    huge = huge[:12] + header + crc32(header).to_bytes(4, 'big') + huge[33:]
    assert 'exceeds limit' in detail(client.post('/predict', content=huge), 413)


def test_what_is_no_picture(client):
    film = b'\0\0\0\x18ftypisom\0\0\2\0isomiso2' + bytes(100)
    for content, said in (
        (b'', 'the file is empty'),
        (b'no picture', 'not an image of a known format'),
        (film, 'not an image of a known format'),
        (encoded(kind='JPEG')[:-40], 'truncated'),
        (encoded()[:-30], 'truncated, damaged or not an image'),
        (encoded((1, 2000)), 'cannot be resized'),
    ):
        text = detail(client.post('/predict', content=content), 422)
        assert said in text
        assert text.startswith(('picture: ', 'image file picture: '))
    for given, said in (
        ({'data': {'file': 'text'}}, 'the form has no file'),
        ({'files': [('a', encoded()), ('b', encoded())]}, 'Too many files'),
    ):
        headers = {} if 'files' in given else {'content-type': 'multipart/form-data; boundary=x'}
        if headers:
            given = {
                'content': b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--'
            }
        assert said in detail(client.post('/predict', headers=headers, **given), 422)
    text = detail(
        client.post('/predict', content=b'', headers={'content-type': 'multipart/form-data'}), 422
    )
    assert 'boundary' in text.lower()
    assert detail(client.post('/predict?score_threshold=nan', content=encoded()), 422)


def test_an_unknown_parameter_is_refused_with_the_nearest_name(client):
    text = detail(client.post('/predict?score_treshold=0.5', content=encoded()), 422)
    assert text == "the parameter 'score_treshold' is unknown; did you mean 'score_threshold'?"


def test_nothing_is_written_for_a_large_form(client, monkeypatch, tmp_path):
    monkeypatch.setenv('TMPDIR', '/nonexistent')
    monkeypatch.setattr('tempfile.tempdir', '/nonexistent')
    padded = encoded() + bytes(990_000)
    reply = client.post('/predict', files={'file': ('a.png', padded)})
    assert reply.status_code == 200, reply.text


class Slow(ExportedModel):
    """Waits with each batch until it may go on."""

    def __init__(self, file):
        super().__init__(file)
        self.free = Event()

    def answer(self, samples, logits=False):
        self.free.wait(10)
        return super().answer(samples)


def test_a_full_queue_a_time_limit_and_health_meanwhile(file):
    model = Slow(file)
    with running(model, queue=2, seconds=3.0) as address, ThreadPoolExecutor(2) as pool:
        first = [pool.submit(httpx.post, f'{address}/predict', content=encoded()) for _ in '12']
        limit = time.monotonic() + 20
        while 'in_progress 2.0' not in httpx.get(f'{address}/metrics').text:
            assert time.monotonic() < limit
        third = httpx.post(f'{address}/predict', content=encoded())
        assert detail(third, 429) == '2 requests are already inside; try again later'
        assert third.headers['retry-after'] == '1'
        assert httpx.get(f'{address}/health').json()['status'] == 'ok'
        assert {each.result().status_code for each in first} == {503}
        model.free.set()
        while httpx.post(f'{address}/predict', content=encoded()).status_code != 200:
            assert time.monotonic() < limit + 10


def test_clients_that_leave_are_forgotten(file):
    model = Slow(file)
    with running(model, queue=3) as address:
        host, port = address.removeprefix('http://').split(':')
        for _ in range(9):  # three times what may be inside, in the middle of their pictures
            with socket.create_connection((host, int(port))) as left:
                left.sendall(b'POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\nab')
        model.free.set()
        limit = time.monotonic() + 10
        while (reply := httpx.post(f'{address}/predict', content=encoded())).status_code == 429:
            assert time.monotonic() < limit
        assert reply.status_code == 200
        assert 'vitbackbones_waiting 0.0' in httpx.get(f'{address}/metrics').text


class Failing(ExportedModel):
    def answer(self, samples, logits=False):
        if any(sample['picture'].original[1] == 99 for sample in samples):
            raise MemoryError('no\nroom')
        return super().answer(samples)


def test_a_model_that_fails_on_one_picture_answers_the_others(file, capfd):
    with running(Failing(file)) as address, ThreadPoolExecutor(8) as pool:
        widths = [99 if i == 3 else 64 for i in range(8)]
        replies = pool.map(
            lambda w: httpx.post(f'{address}/predict', content=encoded((w, 48))), widths
        )
        assert [each.status_code for each in replies] == [503 if w == 99 else 200 for w in widths]
    assert 'error: picture: the model fails (MemoryError: no room)' in capfd.readouterr().err


def test_pictures_of_many_sizes_at_once_get_their_own_answers(client):
    sizes = [(32 + 7 * i, 90 - 5 * i) for i in range(10)] * 3

    def ask(size):
        return client.post('/predict', content=encoded(size)).json()

    with ThreadPoolExecutor(10) as pool:
        for size, reply in zip(sizes, pool.map(ask, sizes), strict=True):
            assert (reply['width'], reply['height']) == size
            box = reply['objects'][0]['bbox']
            scale = 32 / max(size)
            assert box == pytest.approx([4 / scale, 4 / scale, *box[2:]], abs=2)


def test_metrics_count_requests_and_no_other_paths(file):
    with running(ExportedModel(file)) as address:
        httpx.post(f'{address}/predict', content=encoded())
        httpx.post(f'{address}/predict', content=b'no')
        httpx.get(f'{address}/wp-login.php')
        text = httpx.get(f'{address}/metrics').text
    assert 'vitbackbones_requests_total{status="200"} 1.0' in text
    assert 'vitbackbones_requests_total{status="422"} 1.0' in text
    assert 'vitbackbones_batch_size_sum 1.0' in text
    assert 'vitbackbones_request_seconds_count 2.0' in text
    assert 'wp-login' not in text


def test_a_token_guards_pictures_and_metrics(file):
    with running(ExportedModel(file), token='s3cret') as address:
        for headers in ({}, {'Authorization': 'Bearer s3cre'}, {'Authorization': 's3cret'}):
            reply = httpx.post(f'{address}/predict', content=encoded(), headers=headers)
            assert detail(reply, 401) == 'the token is missing or wrong'
        assert httpx.get(f'{address}/metrics').status_code == 401
        assert httpx.get(f'{address}/health').status_code == 200
        right = {'Authorization': 'Bearer s3cret'}
        assert httpx.post(f'{address}/predict', content=encoded(), headers=right).status_code == 200


def test_the_schema_describes_the_route_and_names_no_foreign_host(client):
    schema = client.get('/openapi.json').json()
    about = schema['paths']['/predict']['post']
    assert {'multipart/form-data', 'application/octet-stream'} < {*about['requestBody']['content']}
    assert {'413', '422', '429', '503'} < {*about['responses']}
    assert '://' not in json.dumps(schema)
    assert client.get('/docs').status_code == client.get('/redoc').status_code == 404
    assert '://' not in client.get('/').text


def test_a_port_in_use_and_a_host_elsewhere():
    with listen('127.0.0.1', 0) as opened:
        port = opened.getsockname()[1]
        with pytest.raises(InputError, match=f'--host 127.0.0.1 --port {port}: .*in use.* Choose'):
            listen('127.0.0.1', port)
    with pytest.raises(InputError, match='--host 192.0.2.1 --port 0: '):
        listen('192.0.2.1', 0)
    with pytest.raises(InputError, match='--host no.such.invalid --port 0: '):
        listen('no.such.invalid', 0)


def malformed(picked):
    """Return the bytes of a request that is wrong in one way or another."""
    picture = encoded((16, 16), picked.choice(['PNG', 'JPEG', 'GIF', 'WEBP', 'BMP', 'TIFF']))
    spoiled = bytearray(picture)
    for _ in range(picked.choice([1, 5, 50])):
        spoiled[picked.randrange(len(spoiled))] = picked.randrange(256)
    noise = picked.randbytes(picked.choice([0, 1, 100, 5000]))
    body = picked.choice([noise, bytes(spoiled), picture[: picked.randrange(len(picture))]])
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n' + body
    if picked.random() < 0.5:
        body = picked.choice([form, form + b'\r\n--b--\r\n', form[picked.randrange(20) :], noise])
    kind = picked.choice(
        [
            'image/png',
            'multipart/form-data',
            'multipart/form-data; boundary=b',
            'multipart/form-data; boundary=' + 'b' * 300,
            'multipart/form-data; boundary=b; charset=utf-99',
            'application/json',
            'x' * 2000,
        ]
    )
    line = picked.choice(
        [
            'POST /predict HTTP/1.1',
            'POST /predict?masks=9&format=%00 HTTP/1.1',
            'POST /predict?score_threshold=1e999 HTTP/1.1',
            'PUT /predict HTTP/1.1',
            'GET /predict/../../etc/passwd HTTP/1.1',
            'POST /%ff%00 HTTP/1.1',
            'NONSENSE',
            'POST /predict HTTP/9.9',
        ]
    )
    length = picked.choice([len(body), len(body) + 7, 0, -3, 10**30, 'many'])
    chunked = picked.choice(['', '', '', 'Transfer-Encoding: chunked\r\n'])
    head = f'{line}\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{chunked}\r\n'
    return head.encode() + body


def status_of(address, content):
    """Send bytes, close the sending side, and return the status; 0 for a closed connection."""
    host, port = address.removeprefix('http://').split(':')
    with socket.create_connection((host, int(port)), timeout=30) as opened:
        try:
            opened.sendall(content)
            opened.shutdown(socket.SHUT_WR)
            reply = opened.recv(65536)
        except OSError:
            return 0
    return int(reply.split()[1]) if reply.startswith(b'HTTP/') else 0


def test_malformed_requests_are_refused_without_a_traceback(file, caplog, capfd):
    picked = random.Random(45)
    with running(ExportedModel(file), seconds=5.0) as address, caplog.at_level(logging.WARNING):
        found = {status_of(address, malformed(picked)) for _ in range(PICKED)}
        assert httpx.post(f'{address}/predict', content=encoded()).status_code == 200
    assert found <= REFUSED | {0, 200}
    assert {400, 404, 422} <= found
    said = capfd.readouterr()
    assert 'Traceback' not in said.out + said.err + caplog.text
    assert not [each for each in caplog.records if each.exc_info]
