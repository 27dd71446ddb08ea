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
  place += end;
  let removed = 0; // by the change that has this id
  for (const line of news.toString("utf8", 0, end).split("\n")) {
    try {
      const change = JSON.parse(line);
      const count = apply(change);
      if (own && change.id === own) removed = count;
    } catch {} // an empty line, or one that was cut off
  }
  return removed;
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
