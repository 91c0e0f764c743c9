"""A web server with one made-up file, that answers as badly as a test wants."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace


@contextmanager
def behaving(cache, monkeypatch) -> Iterator[tuple[str, SimpleNamespace]]:
    """Yield the address of a server and its behavior; downloads are kept in ``cache``."""
    monkeypatch.setenv('TORCH_HOME', str(cache))
    monkeypatch.setenv('no_proxy', '127.0.0.1')
    monkeypatch.delenv('HF_HUB_OFFLINE', raising=False)
    behavior = SimpleNamespace(
        content=b'',  # of every path but those with ``missing`` in them
        ends=None,  # after how many bytes its answers break off
        asked=[],  # (method, path) of every request so far
    )

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_GET(self):
            behavior.asked.append((self.command, self.path))
            if 'missing' in self.path:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header('Content-Length', str(len(behavior.content)))
            self.end_headers()
            self.wfile.write(behavior.content[: behavior.ends])

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    behavior.address = f'http://127.0.0.1:{server.server_port}'
    try:
        yield behavior.address, behavior
    finally:
        server.shutdown()
        server.server_close()
