// A memory over Redis that many processes share: a script runs alone, so a batch is one step.
import { createClient } from "redis";
import { serve } from "./serve.mjs";

// A session is a hash of messages by their ids, and a list of the ids in their order.
const ADD = `
for at = 1, #ARGV, 2 do
  if redis.call('HSETNX', KEYS[2], ARGV[at], ARGV[at + 1]) == 1 then redis.call('RPUSH', KEYS[1], ARGV[at]) end
end`;
const READ = `
local found = {}
for at, id in ipairs(redis.call('LRANGE', KEYS[1], ARGV[1], -1)) do found[at] = redis.call('HGET', KEYS[2], id) end
return found`;
const CLEAR = "redis.call('DEL', KEYS[1], KEYS[2])";
const TRIM = `
local removed = math.max(0, redis.call('LLEN', KEYS[1]) - tonumber(ARGV[1]))
for at = 1, removed do redis.call('HDEL', KEYS[2], redis.call('LPOP', KEYS[1])) end
return removed`;

let opening; // the first call connects: goldfish asks who this is before there is a server
function connect() {
  opening ??= (async () => {
    const client = createClient({ url: process.env.GOLDFISH_REDIS_URL, disableOfflineQueue: true });
    client.on("error", () => {}); // each call that fails says so itself; the client reconnects
    return client.connect();
  })().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

// JSON keeps ids apart that UTF-8 would not, and the tag keeps a session on one node of a cluster.
const keys = (session_id) => ["order", "messages"].map((part) => `{${JSON.stringify(session_id)}}:${part}`);
class TimeoutError extends Error { name = "TimeoutError"; }
const late = () => new Promise((_, fail) => setTimeout(fail, 5000, new TimeoutError("redis does not answer")).unref());
const within = (work) => Promise.race([work, late()]);
const run = async (script, session_id, args) =>
  within((await within(connect())).eval(script, { keys: keys(session_id), arguments: args }));

serve({
  name: "redis.mjs",
  declares: { services: ["redis"] },
  methods: {
    add_messages: [["session_id", "messages"], async ({ session_id, messages }) => {
      await run(ADD, session_id, messages.flatMap((each) => [JSON.stringify(each.id), JSON.stringify(each)]));
    }],
    get_history: [["session_id", "last"], async ({ session_id, last }) => {
      if (last < 0) throw new RangeError("last must not be negative");
      if (last === 0) return [];
      const found = await run(READ, session_id, [String(last ? -last : 0)]);
      return found.map((text) => JSON.parse(text));
    }],
    trim: [["session_id", "keep_last"], ({ session_id, keep_last }) => {
      if (!(keep_last >= 0)) throw new RangeError("keep_last must not be negative");
      return run(TRIM, session_id, [String(keep_last)]);
    }],
    clear: [["session_id"], async ({ session_id }) => void (await run(CLEAR, session_id, []))],
  },
});
