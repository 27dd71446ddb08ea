/*
A fork of one thread at a checkpoint of another is accepted, and the thread is empty afterwards.

updateState takes an id that its thread does not have for the beginning of the thread. Exit 1 if it
raises nothing.

What to do: keep the thread with the id of a checkpoint, and compare it before a fork.
*/
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const thread = (thread_id) => ({ configurable: { thread_id, checkpoint_ns: "" } });
const graph = new StateGraph(MessagesAnnotation)
  .addNode("listen", () => ({ messages: [] }))
  .addEdge(START, "listen")
  .compile({ checkpointer: SqliteSaver.fromConnString(":memory:") });
for (const name of ["ann", "bob"]) {
  await graph.invoke({ messages: [{ role: "user", content: `my name is ${name}` }] }, thread(name));
}
const { checkpoint_id } = (await graph.getState(thread("bob"))).config.configurable;
try {
  await graph.updateState({ configurable: { ...thread("ann").configurable, checkpoint_id } }, { messages: [] }, "listen");
  const found = ((await graph.getState(thread("ann"))).values.messages ?? []).map((each) => each.content);
  console.log(`broken: a fork of ann's thread at bob's checkpoint was accepted; it now has ${JSON.stringify(found)}`);
  process.exitCode = 1;
} catch (error) {
  console.log(`held: a fork at the checkpoint of another thread raised ${error.name}`);
}
