// A chat service: POST /chat {"session", "text"} is answered by the model, DELETE /chat forgets.
import { createServer } from 'node:http'
import { openai } from '@ai-sdk/openai'
import { generateText } from 'ai'

// Which memory: a setting, so that the service is the same before and after the fix.
const memory = await import(`./memory-${process.env.CHAT_MEMORY}.js`)
const system = 'You are the assistant of a web shop.'

async function chat({ session, text }) {
  const question = { role: 'user', content: text }
  const messages = [...(await memory.read(session)), question]
  const answer = await generateText({ model: openai('gpt-4o-mini'), system, messages })
  await memory.append(session, [question, { role: 'assistant', content: answer.text }])
  return { reply: answer.text }
}

async function answer(request) {
  let body = ''
  for await (const piece of request) body += piece
  const asked = JSON.parse(body)
  if (request.method === 'POST') return chat(asked)
  await memory.forget(asked.session)
  return {}
}

createServer(async (request, response) => {
  try {
    response.end(JSON.stringify(await answer(request)))
  } catch (error) {
    response.writeHead(502).end(String(error))
  }
}).listen(Number(process.env.PORT), '127.0.0.1')
