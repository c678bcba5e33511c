"""The check of external links, against a server that answers in every way."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tools import links


class Answers(BaseHTTPRequestHandler):
    """Answers with the number in the address; ``/flaky`` with 503 at first, ``/slow`` too late.

    ``/moved`` leads to ``/200``, ``/circle`` to itself.
    """

    asked, at_once, most_at_once = 0, 0, 0

    def do_GET(self):
        here, kind = type(self), self.path.split("/")[1]
        here.asked += 1
        here.at_once += 1
        here.most_at_once = max(here.most_at_once, here.at_once)
        time.sleep(1.0 if kind == "slow" else 0.02)
        here.at_once -= 1
        if kind == "flaky":
            kind = "503" if here.asked < 3 else "200"
        status = {"moved": 301, "circle": 301, "slow": 200}.get(kind) or int(kind)
        self.send_response(status)
        if status == 301:
            self.send_header("Location", "/200" if kind == "moved" else "/circle")
        self.end_headers()

    def log_message(self, *args):
        """Quiet."""


@pytest.fixture
def address():
    Answers.asked = Answers.at_once = Answers.most_at_once = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr(links, "SITE", tmp_path)
    monkeypatch.setattr(links.external, "__defaults__", (tmp_path,))
    monkeypatch.setattr(links, "BREATH", 0)

    def write(*addresses):
        anchors = "".join(f'<a href="{address}">x</a>' for address in addresses)
        (tmp_path / "index.html").write_text(anchors)

    return write


@pytest.mark.parametrize(("path", "status"), [("200", 200), ("403", 403), ("404", 404), ("moved", 200)])
def test_the_servers_answer(address, path, status):
    assert links.asked(f"{address}/{path}", pause=0) == status
    assert Answers.asked == 1 + (path == "moved")


def test_a_server_that_stumbles_is_asked_again(address):
    assert links.asked(f"{address}/flaky", pause=0) == 200
    assert Answers.asked == 3


def test_an_answer_that_is_late_is_none(address, monkeypatch):
    monkeypatch.setattr(links, "PATIENCE", 0.2)
    assert links.asked(f"{address}/slow", attempts=2, pause=0) == "no answer: timed out"
    assert Answers.asked == 2


def test_no_answer_says_so():
    assert links.asked("http://127.0.0.1:9/", attempts=1).startswith("no answer")


def test_a_broken_link_fails_and_is_named(address, site, capsys):
    site(f"{address}/404#part", f"{address}/200", f"{address}/429", f"{address}/circle")
    assert links.main() == 1
    said = capsys.readouterr().out
    assert f"Broken: {address}/404 (404), from index.html" in said
    assert f"Broken: {address}/circle (301), from index.html" in said
    assert f"Would not say: {address}/429 (429)" in said
    assert "4 links: 1 answer, 1 would not say, 2 broken" in said


def test_a_server_that_will_not_say_is_no_failure(address, site, capsys):
    site(f"{address}/200", f"{address}/429", f"{address}/moved", "page.html#here")
    assert links.main() == 0
    assert "3 links: 2 answer, 1 would not say, 0 broken" in capsys.readouterr().out


def test_a_server_is_asked_one_thing_at_a_time_and_each_once(address, site, capsys):
    site(*(f"{address}/200/{number}" for number in range(12)), f"{address}/200/0#part")
    assert links.main() == 0
    assert "12 links: 12 answer" in capsys.readouterr().out
    assert (Answers.asked, Answers.most_at_once) == (12, 1)


def test_an_address_without_a_scheme_is_outside(address, site):
    site(address.removeprefix("http:"), "mailto:a@example.org", "page.html", "/page.html")
    assert list(links.external()) == [address.removeprefix("http:")]
