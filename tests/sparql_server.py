"""A real HTTP server on loopback that misbehaves as a test tells it to, and remembers what it was asked."""

import json
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

RESULTS = "application/sparql-results+json"


@dataclass
class Request:
    path: str
    headers: dict
    form: dict
    at: float


@dataclass
class Reply:
    """`write` takes over the connection altogether; a body of text is sent as UTF-8."""

    body: object = ""
    status: int = 200
    headers: dict = field(default_factory=dict)
    write: object = None

    @property
    def payload(self):
        return self.body if isinstance(self.body, bytes) else self.body.encode()


@dataclass
class SparqlServer:
    """`replies` are given in order, the last one for ever: a Reply, or a function of the request."""

    replies: list
    requests: list = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def next_reply(self, request):
        number = len(self.requests)
        self.requests.append(request)
        reply = self.replies[min(number, len(self.replies) - 1)]
        return reply(request) if callable(reply) else reply


def term(value, kind="literal", **more):
    return {"type": kind, "value": value, **more}


def gives(*rows):
    """A result with these rows, each a dict of terms."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Reply(json.dumps({"head": {"vars": names}, "results": {"bindings": rows}}), headers=typed(RESULTS))


def typed(content_type):
    return {"Content-Type": content_type}


def html(status, text, **headers):
    return Reply(f"<html><head><title>{text}</title></head></html>", status, headers | typed("text/html"))


def drips(*parts, every=0.05):
    """Sends the parts, then a byte of the last one again and again, until the client hangs up."""

    def write(handler):
        for part in parts:
            handler.wfile.write(part)
        while not handler.server.told.stopped.is_set():
            handler.wfile.write(parts[-1][-1:])
            time.sleep(every)

    return Reply(write=write)


def stalls(start=b""):
    """Sends this and nothing more, with the connection open."""

    def write(handler):
        handler.wfile.write(start)
        handler.server.told.stopped.wait(30)

    return Reply(write=write)


def sends(raw):
    """Sends these bytes for an answer and hangs up."""
    return Reply(write=lambda handler: handler.wfile.write(raw))


@contextmanager
def serving(*replies, tls=None):
    """`tls`: a folder with the `cert.pem` and `key.pem` to serve HTTPS with."""
    told = SparqlServer(list(replies))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.reply_to("")

        def do_POST(self):
            self.reply_to(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def reply_to(self, raw):
            reply = told.next_reply(
                Request(self.path, dict(self.headers), parse_qs(raw), time.monotonic()),
            )
            if reply.write:
                self.close_connection = True
                reply.write(self)
                return
            self.send_response(reply.status)
            for name, value in ({"Content-Length": str(len(reply.payload))} | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.payload)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            pass  # a client that hung up is what some tests are about

    httpd = Server(("127.0.0.1", 0), Handler)
    httpd.told = told
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls / "cert.pem", tls / "key.pem")
        # The handshake belongs to the connection's thread: a client may break it off.
        httpd.socket = context.wrap_socket(httpd.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    told.url = f"{'https' if tls else 'http'}://127.0.0.1:{httpd.server_port}/sparql"
    try:
        yield told
    finally:
        told.stopped.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def make_certificate(folder, address="127.0.0.1"):
    """A certificate that signs itself, for this address; needs the `openssl` program."""
    named = f"-subj /CN=test -addext subjectAltName=IP:{address}"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 {named}"
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    return folder
