"""A FunctionAgent shows a model of Ollama the results of its tools in the order in which they end.

Ollama's messages have no ids of calls: a result belongs to the call at its place. The model calls
one tool three times; the first call takes longest. Ends with 1 if the results are not in the order
of their calls.
"""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.ollama import Ollama

SECONDS = {"slow": 0.6, "medium": 0.3, "quick": 0.0}
prompts = []


class Model(BaseHTTPRequestHandler):
    """Answers the first request with three calls of a tool, and the next one with a word."""

    def do_POST(self):
        prompts.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        calls = [{"function": {"name": "wait", "arguments": {"how": how}}} for how in SECONDS]
        first = len(prompts) == 1
        message = {"role": "assistant", "content": "" if first else "Done."}
        answer = {"model": "m", "message": message | ({"tool_calls": calls} if first else {})}
        body = json.dumps(answer | {"done": True}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        """Say nothing."""


async def wait(how: str) -> str:
    """Wait as long as it says."""
    await asyncio.sleep(SECONDS[how])
    return f"waited: {how}"


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    model = Ollama(model="m", base_url=url, context_window=8000)
    await FunctionAgent(llm=model, tools=[wait], streaming=False).run("Wait for all three.")
    results = [each for each in prompts[-1]["messages"] if each["role"] == "tool"]
    shown = [each["content"].removeprefix("waited: ") for each in results]
    word = "held" if shown == [*SECONDS] else "broken"
    print(f"{word}: called {', '.join(SECONDS)}; the results are {', '.join(shown)}, without ids")
    return int(shown != [*SECONDS])


raise SystemExit(asyncio.run(main()))
