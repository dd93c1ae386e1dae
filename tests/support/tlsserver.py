"""Servers with a self-signed certificate on loopback: one that never gets a request, and one whose
certificate may be trusted.
"""

from __future__ import annotations

import datetime
import socketserver
import ssl
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@contextmanager
def tls_server() -> Iterator[int]:
    """Yields its port."""
    with tempfile.TemporaryDirectory() as folder:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(_certificate(Path(folder)))
        with _Server(("127.0.0.1", 0), context) as server:
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            yield server.server_address[1]
            server.shutdown()
            thread.join(5)


@contextmanager
def tls_site(pages: Mapping[str, bytes]) -> Iterator[tuple[str, Path]]:
    """Serves `pages` (by path); yields its address and its certificate, which `SSL_CERT_FILE` may
    name.
    """

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = pages.get(self.path)
            self.send_response(404 if found is None else 200)
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, *words: object) -> None:
            pass

    with tempfile.TemporaryDirectory() as folder:
        certificate = _certificate(Path(folder))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
            server.socket = context.wrap_socket(server.socket, server_side=True)
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            yield f"https://localhost:{server.server_address[1]}", certificate
            server.shutdown()
            thread.join(5)


class _Server(socketserver.TCPServer):
    def __init__(self, place: tuple[str, int], context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(place, socketserver.BaseRequestHandler)

    def finish_request(self, request: object, client_address: object) -> None:
        with suppress(OSError):  # the client refuses it, as it should
            self._context.wrap_socket(request, server_side=True).close()  # type: ignore[arg-type]


def _certificate(folder: Path) -> Path:
    """Key and certificate of localhost in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    pem = key.private_bytes(serialization.Encoding.PEM, form, plain)
    file = folder / "localhost.pem"
    file.write_bytes(pem + certificate.public_bytes(serialization.Encoding.PEM))
    return file
