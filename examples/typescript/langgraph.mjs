// The checkpointers of LangGraph.js: node langgraph.mjs memory, or node langgraph.mjs sqlite.
import { join } from "node:path";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { CARRIES, fromLangChain, toLangChain } from "./langchain-messages.mjs";
import { serve } from "./serve.mjs";

const kind = process.argv[2] ?? "memory";
const saver = kind === "sqlite"
  ? SqliteSaver.fromConnString(join(process.env.GOLDFISH_PATH, "checkpoints.sqlite"))
  : new MemorySaver();
const graph = new StateGraph(MessagesAnnotation)
  .addNode("listen", () => ({ messages: [] })) // a turn adds its input, and nothing of its own
  .addEdge(START, "listen")
  .compile({ checkpointer: saver });
const thread = (thread_id, more) => ({ configurable: { thread_id, checkpoint_ns: "", ...more } });

serve({
  name: `langgraph-js-${kind}`,
  close: () => saver.db?.close(),
  declares: {
    carries: CARRIES,
    ...(kind === "memory" && { claims: "one opening" }),
    declines: {
      DUP02: "a message whose id is known replaces the first one, as documented",
      SNP09: "deleteThread deletes all checkpoints of the thread, as documented",
    },
  },
  methods: {
    add_messages: [["session_id", "messages"], async ({ session_id, messages }) => {
      await graph.invoke({ messages: messages.map(toLangChain) }, thread(session_id));
    }],
    get_history: [["session_id"], async ({ session_id }) => {
      const { values } = await graph.getState(thread(session_id));
      return (values.messages ?? []).map(fromLangChain);
    }],
    clear: [["session_id"], ({ session_id }) => saver.deleteThread(session_id)],
    save_snapshot: [["session_id"], async ({ session_id }) => {
      return (await graph.getState(thread(session_id))).config.configurable.checkpoint_id;
    }],
    rollback_to_snapshot: [["session_id", "snapshot_id"], async ({ session_id, snapshot_id }) => {
      const place = thread(session_id, { checkpoint_id: snapshot_id });
      await graph.updateState(place, { messages: [] }, "listen");
    }],
  },
});
