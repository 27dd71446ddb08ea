// A memory in one file that many processes share: every change is a line that is appended by one
// write. What is read is what the lines say in their order, which is the same for everybody.
import { fdatasyncSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./serve.mjs";

const file = openSync(join(process.env.GOLDFISH_PATH, "memory.jsonl"), "a+");
const sessions = new Map(); // by its id the messages of a session, by theirs
let place = 0; // up to which the lines were read

function append(change) {
  // A line that was cut off is not JSON; it was never acknowledged. The newline in front ends it.
  const line = Buffer.from(`\n${JSON.stringify(change)}\n`);
  if (writeSync(file, line) !== line.length) throw new Error("the disk is full");
  fdatasyncSync(file);
}

function readOn(own) {
  const news = Buffer.alloc(fstatSync(file).size - place);
  const end = news.subarray(0, readSync(file, news, 0, news.length, place)).lastIndexOf(10) + 1;
  const changes = news.toString("utf8", 0, end).split("\n").map(parse).filter(Boolean);
  place += end;
  const removed = changes.map(apply);
  return removed[changes.findIndex(({ id }) => own && id === own)];
}

function parse(line) {
  if (line && line[0] !== "{") throw new Error("memory.jsonl is damaged"); // not only cut off
  try { return JSON.parse(line); } catch { return null; }
}

function apply({ session_id, messages = [], keep_last = Infinity }) {
  const session = sessions.get(session_id) ?? new Map();
  sessions.set(session_id, session);
  for (const each of messages) if (!session.has(each.id)) session.set(each.id, each);
  const old = [...session.keys()].slice(0, Math.max(0, session.size - keep_last));
  for (const id of old) session.delete(id);
  return old.length;
}

serve({
  name: "json-fixed",
  methods: {
    add_messages: [["session_id", "messages"], append],
    get_history: [["session_id", "last"], ({ session_id, last }) => {
      if (last < 0) throw new RangeError("last must not be negative");
      readOn();
      const found = [...(sessions.get(session_id)?.values() ?? [])];
      return found.slice(Math.max(0, found.length - (last ?? Infinity)));
    }],
    trim: [["session_id", "keep_last"], ({ session_id, keep_last }) => {
      if (!(keep_last >= 0)) throw new RangeError("keep_last must not be negative");
      const id = crypto.randomUUID();
      append({ id, session_id, keep_last });
      return readOn(id);
    }],
    clear: [["session_id"], ({ session_id }) => append({ session_id, keep_last: 0 })],
  },
});
