// One file per session that all instances share, and one append per turn: it is there as a whole
// or not at all.
import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

const find = (session) => join(process.env.CHAT_PATH, `${encodeURIComponent(session)}.jsonl`)

export async function read(session) {
  const text = await readFile(find(session), 'utf8').catch(ignoreAbsence)
  return text.split('\n').slice(0, -1).flatMap((line) => JSON.parse(line))
}

export const append = (session, turn) => appendFile(find(session), `${JSON.stringify(turn)}\n`)
export const forget = (session) => rm(find(session), { force: true })

function ignoreAbsence(error) {
  if (error.code !== 'ENOENT') throw error
  return ''
}
