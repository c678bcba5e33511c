"""The check of external links, against a server that answers in every way."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tools import links


class Answers(BaseHTTPRequestHandler):
    """Answers with the number in the address; ``/flaky`` with 503 at first."""

    asked = 0

    def do_GET(self):
        kind = self.path.strip("/")
        if kind == "flaky":
            type(self).asked += 1
            kind = "503" if type(self).asked < 3 else "200"
        self.send_response(int(kind))
        self.end_headers()

    def log_message(self, *args):
        """Quiet."""


@pytest.fixture
def address():
    Answers.asked = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr(links, "SITE", tmp_path)
    monkeypatch.setattr(links.external, "__defaults__", (tmp_path,))
    monkeypatch.setattr(links, "PAUSE", 0)

    def write(*addresses):
        anchors = "".join(f'<a href="{address}">x</a>' for address in addresses)
        (tmp_path / "index.html").write_text(anchors)

    return write


@pytest.mark.parametrize("status", [200, 403, 404])
def test_the_servers_answer(address, status):
    assert links.asked(f"{address}/{status}", pause=0) == status


def test_a_server_that_stumbles_is_asked_again(address):
    assert links.asked(f"{address}/flaky", pause=0) == 200
    assert Answers.asked == 3


def test_no_answer_says_so():
    assert links.asked("http://127.0.0.1:9/", attempts=1).startswith("no answer")


def test_a_broken_link_fails_and_is_named(address, site, capsys):
    site(f"{address}/404#part", f"{address}/200", f"{address}/429")
    assert links.main() == 1
    said = capsys.readouterr().out
    assert f"Broken: {address}/404 (404), from index.html" in said
    assert f"Would not say: {address}/429 (429)" in said
    assert "3 links: 1 answer, 1 would not say, 1 broken" in said


def test_a_server_that_will_not_say_is_no_failure(address, site, capsys):
    site(f"{address}/200", f"{address}/429", "page.html#here")
    assert links.main() == 0
    assert "2 links: 1 answer, 1 would not say, 0 broken" in capsys.readouterr().out
