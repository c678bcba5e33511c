"""Serve the built site on 127.0.0.1 and print its address."""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"
PORTS = (8000, 8001, 8002, 8080, 0)  # 0: whatever is free


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """A reader's clicks are no news."""


def server(site=SITE, ports=PORTS):
    for port in ports:
        try:
            return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(site)))
        except OSError:
            continue
    raise OSError(f"no free port among {ports}")


if __name__ == "__main__":
    with server() as http:
        print(f"The book is at http://127.0.0.1:{http.server_port}/ (Ctrl+C stops)", flush=True)
        try:
            http.serve_forever()
        except KeyboardInterrupt:
            sys.exit(0)
