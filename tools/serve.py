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

    def send_error(self, code, message=None, explain=None):
        """What is not there gets the book's own page, as on a published site."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.exists():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A browser that leaves before its answer is sent is no error; all else shows its trace."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(site=SITE, ports=PORTS):
    for port in ports:
        try:
            return Server(("127.0.0.1", port), partial(Handler, directory=str(site)))
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
