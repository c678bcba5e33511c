"""The server of the built site: a reader who leaves is no error, and errors are shown."""

import socket
import struct
import threading

import pytest

from tools import serve


@pytest.fixture
def address(tmp_path):
    (tmp_path / "large.bin").write_bytes(bytes(50_000_000))
    with serve.server(tmp_path, ports=(0,)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_address
        running.shutdown()


def asked(address, path, *, read):
    """Asks for a path, reads so many bytes of the answer and hangs up."""
    with socket.create_connection(address) as line:
        line.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        found = line.recv(read)
        # At once, whatever is still on its way.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return found


def test_a_reader_who_leaves_is_no_error(address, capfd, monkeypatch):
    left = threading.Event()
    handled = serve.Server.handle_error
    monkeypatch.setattr(serve.Server, "handle_error", lambda *args: (handled(*args), left.set()))
    assert asked(address, "/large.bin", read=100).startswith(b"HTTP/1.0 200")
    assert left.wait(10)
    assert capfd.readouterr().err == ""


def test_another_error_shows_its_trace(address, capfd, monkeypatch):
    def broken(handler, path):
        raise OSError("the disk is gone")

    monkeypatch.setattr(serve.Handler, "translate_path", broken)
    assert asked(address, "/large.bin", read=100) == b""
    assert "OSError: the disk is gone" in capfd.readouterr().err


def test_what_is_not_there_is_404(address):
    assert asked(address, "/nothing", read=100).startswith(b"HTTP/1.0 404")
