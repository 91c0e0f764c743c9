"""A web server with one made-up file, that answers as badly as a test wants."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Behavior:
    """What the server has and does.

    Attributes:
        content: of every path but those with ``missing`` in them.
        ends: after how many bytes its answers break off, one answer each; then they are whole.
        ranges: whether it goes on where it is asked to.
        most: bytes of what is asked for that one answer has; None for all.
        kind: of the content, for its header.
        tag: of the content, for its header; '' for none.
        says_size: whether answers have a Content-Length.
        asked: (method, path, range) of every request so far.
    """

    content: bytes = b''
    ends: list[int] = field(default_factory=list)
    ranges: bool = True
    most: int | None = None
    kind: str = 'application/octet-stream'
    tag: str = ''
    says_size: bool = True
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)


@contextmanager
def behaving(cache, monkeypatch) -> Iterator[tuple[str, Behavior]]:
    """Yield the address of a server and its behavior; downloads are kept in ``cache``."""
    monkeypatch.setenv('TORCH_HOME', str(cache))
    monkeypatch.setenv('no_proxy', '127.0.0.1')
    monkeypatch.delenv('HF_HUB_OFFLINE', raising=False)
    behavior = Behavior()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_HEAD(self):
            self.answer(b'')

        def do_GET(self):
            self.answer(None)

        def answer(self, body):
            behavior.asked.append((self.command, self.path, self.headers['Range']))
            asked = int((self.headers['Range'] or 'bytes=0-')[len('bytes=') : -1])
            same = self.headers['If-Range'] in (None, behavior.tag)
            start = asked if behavior.ranges and same else 0
            if 'missing' in self.path:
                self.send_error(404)
            elif start >= len(behavior.content) > 0:
                self.send_error(416)
            else:
                end = start + behavior.most if start and behavior.most else None
                self.send(start, behavior.content[start:end] if body is None else body)

        def send(self, start, body):
            whole = len(behavior.content)
            self.send_response(206 if start else 200)
            self.send_header('Content-Type', behavior.kind)
            length = len(body) or whole - start
            if behavior.says_size:
                self.send_header('Content-Length', str(length))
            if behavior.tag:
                self.send_header('ETag', behavior.tag)
            if start:
                last = start + length - 1
                self.send_header('Content-Range', f'bytes {start}-{last}/{whole}')
            self.end_headers()
            self.wfile.write(body[: behavior.ends.pop(0)] if body and behavior.ends else body)

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f'http://127.0.0.1:{server.server_port}', behavior
    finally:
        server.shutdown()
        server.server_close()
