"""A service for the tests: python server.py PORT; it remembers in its process."""

import json
import os
import subprocess
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HISTORIES: dict[str, list[dict[str, Any]]] = {}
CHILD = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.reply({"pids": [os.getpid(), CHILD.pid]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        history = HISTORIES.setdefault(body["session"], [])
        history.append({"role": "user", "content": body["text"]})
        sent = json.dumps({"model": "gpt-4o-mini", "messages": history}).encode()
        url, headers = f"{os.environ['MODEL_URL']}/chat/completions", {"Content-Type": "text/json"}
        with urllib.request.urlopen(urllib.request.Request(url, sent, headers)) as answer:
            content = json.load(answer)["choices"][0]["message"]["content"]
        history.append({"role": "assistant", "content": content})
        self.reply({"reply": content})

    def reply(self, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
