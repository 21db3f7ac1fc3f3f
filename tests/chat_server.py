"""A chat server in the test process: polite by default, and rude on request."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def first_move(question):
    """A legal reply: the first move that the question offers; in Wild's opening, which lists none, the centre."""
    listed = question.rpartition("Available Moves: ")[2] if "Available Moves: " in question else "[X 4]"
    return listed.splitlines()[0].split(", ")[0]


class ChatServer(ThreadingHTTPServer):
    """script: what to do with the n-th request (from 0), a dict; by default a legal reply.

    {"say": text} · {"status": 429, "headers": {...}, "body": text} · {"raw": bytes} · {"hang": True}, until the server
    closes · {"drip": True}, a byte now and then for ever · {"cut": True}, the connection closed without an answer
    """

    daemon_threads = True

    def __init__(self, script=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script or always({})
        self.requests = []
        self.headers_seen = []
        self.closing = threading.Event()
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def questions(self):
        return [request["messages"][-1]["content"] for request in self.requests]

    def handle_error(self, request, client_address):
        """A client that went away is part of the test."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(request)
            self.server.headers_seen.append(dict(self.headers))
        question = request["messages"][-1]["content"]
        self.answer(self.server.script(number, question) or {}, question)

    def answer(self, plan, question):
        if plan.get("hang"):
            self.server.closing.wait()
        elif plan.get("cut"):
            self.close_connection = True
            self.connection.close()
        elif plan.get("drip"):
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            while not self.server.closing.is_set():
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.01)
        elif "raw" in plan:
            self.send(200, plan["raw"], {})
        elif "status" in plan:
            self.send(plan["status"], plan.get("body", "").encode(), plan.get("headers", {}))
        else:
            said = plan.get("say", None if "content" in plan else first_move(question))
            content = plan.get("content", said)
            message = {"role": "assistant", "content": content, **plan.get("message", {})}
            choice = {"message": message, "finish_reason": plan.get("finish", "stop")}
            usage = {"prompt_tokens": 100, "completion_tokens": 7, **plan.get("usage", {})}
            self.send(200, json.dumps({"model": "m-2026", "choices": [choice], "usage": usage}).encode(), {})

    def send(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving(script=None):
    server = ChatServer(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def scripted(*plans):
    """Do these in turn, then behave."""
    return lambda number, _question: plans[number] if number < len(plans) else {}


def always(plan):
    """Do this with every request."""
    return lambda _number, _question: plan
