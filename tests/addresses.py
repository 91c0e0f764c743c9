"""A web server for tests of downloads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@contextmanager
def serving(folder: Path, cache: Path, monkeypatch) -> Iterator[str]:
    """The address of a server of ``folder``; downloads are kept in ``cache``."""
    monkeypatch.setenv('TORCH_HOME', str(cache))
    monkeypatch.setenv('no_proxy', '127.0.0.1')
    server = ThreadingHTTPServer(('127.0.0.1', 0), partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f'http://127.0.0.1:{server.server_port}'
    server.shutdown()
    server.server_close()
