// A memory in one JSON file, as it is often written: read it, change it, write it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serve } from "./serve.mjs";

const file = join(process.env.GOLDFISH_PATH, "memory.json");

async function load() {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return {}; // a damaged file looks like an empty memory
  }
}

serve({
  name: "json-broken",
  methods: {
    add_messages: [["session_id", "messages"], async ({ session_id, messages }) => {
      const all = await load();
      all[session_id] = [...(all[session_id] ?? []), ...messages];
      await writeFile(file, JSON.stringify(all)); // whoever wrote since load() is overwritten
    }],
    get_history: [["session_id", "last"], async ({ session_id, last }) => {
      const found = (await load())[session_id] ?? [];
      return last == null ? found : found.slice(-last);
    }],
    clear: [["session_id"], async ({ session_id }) => {
      const all = await load();
      delete all[session_id];
      await writeFile(file, JSON.stringify(all));
    }],
  },
});
