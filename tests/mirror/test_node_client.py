"""npm's ai SDK with @ai-sdk/openai, where node and the packages are."""

import json
import subprocess

from goldfish.mirror import Mirror
from tests.node import find_packages

PROGRAM = """
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'

const openai = createOpenAI({})
const models = { responses: openai('gpt-4o-mini'), chat: openai.chat('gpt-4o-mini') }
const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
})
const said = {}
for (const [name, model] of Object.entries(models)) {
  const asked = { model, system: 'Be brief.', prompt: 'hello' }
  const whole = await generateText({ ...asked, stopWhen: stepCountIs(3), tools: { weather } })
  let streamed = ''
  for await (const piece of streamText({ model, prompt: 'hello' }).textStream) streamed += piece
  said[name] = [whole.text, streamed]
}
console.log(JSON.stringify(said))
"""


def test_the_ai_sdk_is_answered(mirror: Mirror) -> None:
    """By both APIs of OpenAI, whole and streamed, with a tool."""
    where = find_packages()
    mirror.call_tool("weather", {"city": "Kiel"}, when="Be brief.")
    program = where / "goldfish-test.mjs"
    program.write_text(PROGRAM)
    done = subprocess.run(
        ["node", str(program)], cwd=where, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    routes = {each.route.rpartition("/v1/")[2] for each in mirror.exchanges}
    assert routes == {"responses", "chat/completions"}
    for whole, streamed in said.values():
        assert mirror.find_exchange(whole) is not None
        assert mirror.find_exchange(streamed) is not None
    assert "rain in Kiel" in mirror.prompts[1]
