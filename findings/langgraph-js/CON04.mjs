/*
Turns on one thread at the same moment in one process: all but one are forgotten.

Each turn reads the thread at its start and writes all of it at its end, in MemorySaver as in
SqliteSaver. The same is behind CON05 and CON06, and what CON01 is about in processes. Exit 1 if a
turn that succeeded is gone.

What to do: await one turn before the next one on the same thread begins.
*/
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const thread = { configurable: { thread_id: "chat" } };
const graph = new StateGraph(MessagesAnnotation)
  .addNode("listen", () => ({ messages: [] }))
  .addEdge(START, "listen")
  .compile({ checkpointer: new MemorySaver() });
const words = ["one", "two", "three", "four", "five"];
await Promise.all(words.map((content) => graph.invoke({ messages: [{ role: "user", content }] }, thread)));
const found = (await graph.getState(thread)).values.messages.map((each) => each.content);
const isBroken = words.some((each) => !found.includes(each));
console.log(`${isBroken ? "broken" : "held"}: 5 turns at once succeeded; MemorySaver remembers ${JSON.stringify(found)}`);
process.exitCode = isBroken ? 1 : 0;
