"""Web servers for tests of downloads: of a folder, or one that answers as badly as wanted."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@contextmanager
def serving(folder: Path, cache: Path, monkeypatch, handler=Quiet) -> Iterator[str]:
    """The address of a server of ``folder``; downloads are kept in ``cache``."""
    monkeypatch.setenv('TORCH_HOME', str(cache))
    monkeypatch.setenv('no_proxy', '127.0.0.1')
    server = ThreadingHTTPServer(('127.0.0.1', 0), partial(handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f'http://127.0.0.1:{server.server_port}'
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def behaving(cache: Path, monkeypatch) -> Iterator[tuple[str, SimpleNamespace]]:
    """Yield the address of a server with one made-up file, and its behavior."""
    monkeypatch.delenv('HF_HUB_OFFLINE', raising=False)
    behavior = SimpleNamespace(
        content=b'',  # of every path but those with ``missing`` in them
        tells_length=True,
        ends=None,  # after how many bytes its answers break off
        asked=[],  # (method, path) of every request so far
    )

    class Handler(Quiet):
        def do_GET(self):
            behavior.asked.append((self.command, self.path))
            if 'missing' in self.path:
                self.send_error(404)
                return
            self.send_response(200)
            if behavior.tells_length:
                self.send_header('Content-Length', str(len(behavior.content)))
            self.end_headers()
            self.wfile.write(behavior.content[: behavior.ends])

    with serving(cache, cache, monkeypatch, Handler) as behavior.address:
        yield behavior.address, behavior
