"""The routes of a server: ``POST /predict``, ``/health``, ``/metrics``, and a page at ``/``.

Requests are read in memory only. A body that is too long is read on and dropped for a while, as a
client that still sends would not see why it is refused.
"""

import asyncio
import hmac
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from ..errors import InputError
from ..utils.messages import did_you_mean
from ..version import __version__
from .service import Form, Service

ROUTE = '/predict'
PARAMETERS = ('masks', 'format', 'score_threshold')  # of a request, in its address
NAME = 'picture'  # of one that comes without
MULTIPART = 'multipart/form-data'
OVERHEAD = 2**16  # bytes of a multipart body around its file
DROPPED = 4  # bodies of the greatest length that are read on from one that is too long
PAGE = Path(__file__).with_name('page.html')
# The page loads nothing from elsewhere, whatever is in an answer; masks are data addresses.
POLICY = (
    "default-src 'none'; connect-src 'self'; img-src 'self' blob: data:; media-src blob:; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff'}
BINARY = {'type': 'string', 'format': 'binary'}
FORM = {'type': 'object', 'required': ['file'], 'properties': {'file': BINARY}}
PLAIN = dict.fromkeys(('application/octet-stream', 'image/*'), {'schema': BINARY})
BODY = {'required': True, 'content': {MULTIPART: {'schema': FORM}, **PLAIN}}
REFUSALS = {
    401: 'the token is missing or wrong',
    413: 'the request has too many bytes, or the picture too many pixels',
    422: 'not a picture, or an unknown parameter',
    429: 'too many requests at a time',
    503: 'the time limit has passed, or the model fails',
}


class Upload(NamedTuple):
    """The bytes of a picture, and the name of its file."""

    content: bytes
    name: str


class InMemory(MultiPartParser):
    """Reads multipart bodies; Starlette's own would write files of a megabyte to the disk."""

    spool_max_size = 2**62


def make_app(service: Service, name: str, token: str | None = None) -> FastAPI:
    """Return an ASGI application that answers pictures.

    Args:
        service: answers them.
        name: of the model, for users.
        token: what ``/predict`` and ``/metrics`` require (``Authorization: Bearer TOKEN``), None
            for nothing.
    """
    app = FastAPI(title=name, version=__version__, docs_url=None, redoc_url=None)  # of a CDN
    limits = service.limits

    def require_token(request: Request) -> None:
        given = request.headers.get('authorization', '').encode()
        if token is not None and not hmac.compare_digest(given, f'Bearer {token}'.encode()):
            raise HTTPException(401, REFUSALS[401], {'WWW-Authenticate': 'Bearer'})

    @app.middleware('http')
    async def measure(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
        start = perf_counter()
        response = await call(request)
        if request.url.path == ROUTE:  # strangers ask for any path, and each would be kept
            service.metrics.requests.labels(response.status_code).inc()
            service.metrics.seconds.observe(perf_counter() - start)
        return response

    @app.post(
        ROUTE,
        dependencies=[Depends(require_token)],
        openapi_extra={'requestBody': BODY},
        responses={status: {'description': text} for status, text in REFUSALS.items()},
    )
    async def predict(
        request: Request,
        masks: Literal['rle', 'polygons'] = 'rle',
        format: Literal['predict', 'coco'] = 'predict',
        score_threshold: float = Query(0.0, ge=0, le=1),
    ) -> Response:
        """Answer one picture, as the file of a form or as the body itself."""
        for key in request.query_params.keys() - PARAMETERS:
            hint = did_you_mean(key, PARAMETERS)
            raise HTTPException(422, f'the parameter {key!r} is unknown{hint}')
        if format == 'coco' and service.task != 'detection':
            raise HTTPException(422, f'format=coco is not supported for {service.task}')
        form = Form(masks, format, score_threshold)

        async def answered() -> bytes:
            upload = await read_upload(request, limits.bytes)
            return await service.answer(upload.content, upload.name, form)

        with service.admitted():
            try:
                content = await asyncio.wait_for(answered(), limits.seconds)
            except (asyncio.TimeoutError, TimeoutError) as error:  # one class from Python 3.11 on
                text = f'the limit of {limits.seconds:g} seconds has passed'
                raise HTTPException(503, text, {'Retry-After': '1'}) from error
        return Response(content, media_type='application/json')

    @app.get('/health')
    async def health() -> dict:
        """Return what runs."""
        return {
            'status': 'ok',
            'model': name,
            'task': service.task,
            'runtime': service.model.runtime,
            'classes': service.classes,
            'score_threshold': service.threshold.score,
        }

    @app.get('/metrics', dependencies=[Depends(require_token)])
    async def metrics() -> Response:
        """Return counts and times in the text format of Prometheus."""
        text = generate_latest(service.metrics.registry)
        return Response(text, headers={'Content-Type': CONTENT_TYPE_LATEST})

    @app.get('/', include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse(PAGE.read_text(encoding='utf-8'), headers=HEADERS)

    return app


async def read_upload(request: Request, most: int) -> Upload:
    """Return the picture of a request.

    Raises:
        HTTPException: the body is longer than ``most`` bytes, is no form with one file, or ends
            early.
    """
    is_form = request.headers.get('content-type', '').lower().startswith(MULTIPART)
    parts = limited(request.stream(), most + OVERHEAD * is_form)
    try:
        if not is_form:
            return Upload(b''.join([part async for part in parts]), NAME)
        form = await InMemory(request.headers, parts, max_files=1, max_fields=10).parse()
    except ClientDisconnect as error:
        raise HTTPException(400, 'the connection was closed') from error
    except (MultiPartException, KeyError, ValueError) as error:
        raise HTTPException(422, f'the form cannot be read: {error}') from error
    files = [each for each in form.values() if isinstance(each, UploadFile)]
    if not files:
        raise HTTPException(422, 'the form has no file')
    return Upload(await files[0].read(), files[0].filename or NAME)


async def limited(stream: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """Yield the parts of a stream.

    Raises:
        HTTPException: they are longer than ``most`` bytes.
    """
    length = 0
    async for part in stream:
        length += len(part)
        if length <= most:
            yield part
        elif length > DROPPED * most:
            break
    if length > most:
        raise HTTPException(413, f'the request has more than {most:,} bytes')


def listen(host: str, port: int) -> socket.socket:
    """Return an open socket; port 0 stands for any free one.

    Raises:
        InputError: the port is in use or not allowed, or the host is not of this machine.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise InputError(
            f'--host {host} --port {port}: {reason}. Choose another port, or 0 for any free one'
        ) from error


def run(app: FastAPI, opened: socket.socket, seconds: float) -> None:
    """Answer requests until a signal comes; those inside then have ``seconds`` left."""
    config = uvicorn.Config(
        app,
        log_level='warning',
        server_header=False,
        timeout_graceful_shutdown=max(1, round(seconds)),
    )
    uvicorn.Server(config).run(sockets=[opened])
