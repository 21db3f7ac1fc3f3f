"""A server of OpenAI's chat API whose model is the scripted policy."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scripted import Scripted


class Chat(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = asked["messages"][-1]["content"]
        if isinstance(content, list):
            content = " ".join(part.get("text", "") for part in content)
        reply, finish = self.server.policy.reply(content), self.server.finish
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        head = {"id": "x", "created": 1, "model": asked["model"]}
        if asked.get("stream"):
            self._stream(head | {"object": "chat.completion.chunk"}, reply, usage, finish)
            return
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": reply}}
        answer = head | {"object": "chat.completion", "choices": [choice], "usage": usage}
        self._send("application/json", json.dumps(answer).encode())

    def _stream(self, head, reply, usage, finish):
        parts = [
            {"choices": [{"index": 0, "delta": {"role": "assistant", "content": reply}, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
            {"choices": [], "usage": usage},
        ]
        lines = [f"data: {json.dumps(head | part)}\n\n" for part in parts]
        self._send("text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode())

    def _send(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def chat_server(seed=0, finish="stop"):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    server.finish = finish
    server.policy = Scripted(seed)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", server.policy
    finally:
        server.shutdown()
        server.server_close()
