"""A real HTTP server on loopback that answers as a test tells it to, and remembers what it was asked."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Request:
    path: str
    headers: dict
    body: dict


@dataclass
class ModelServer:
    """`replies` are given in order, the last one for ever: a Reply, or a function of the request."""

    replies: list
    requests: list = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def next_reply(self, request):
        with self.lock:
            number = len(self.requests)
            self.requests.append(request)
        reply = self.replies[min(number, len(self.replies) - 1)]
        return reply(request) if callable(reply) else reply


@dataclass
class Reply:
    """`raw` is sent as it is; `write` takes over the connection altogether."""

    body: object = None
    status: int = 200
    headers: dict = field(default_factory=dict)
    raw: bytes | None = None
    write: object = None


def says(content, finish="stop", **more):
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    return Reply({"model": "m-served", "choices": [{"message": message, "finish_reason": finish}], **more})


def completes(text, finish="length"):
    return Reply({"model": "m-served", "choices": [{"text": text, "finish_reason": finish}]})


def refuses(status, message="no", headers=None, **error):
    return Reply({"error": {"message": message, **error}}, status, headers or {})


@contextmanager
def serving(*replies):
    server = ModelServer(list(replies))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            reply = server.next_reply(Request(self.path, dict(self.headers), json.loads(raw)))
            if reply.write:
                self.close_connection = True
                reply.write(self)
                return
            payload = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in ({"Content-Type": "application/json"} | reply.headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):
            pass  # a client that hung up is what some tests are about

    httpd = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{httpd.server_port}"
    try:
        yield server
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
