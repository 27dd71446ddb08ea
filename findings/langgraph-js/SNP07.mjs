/*
A fork at a checkpoint that does not exist is accepted, and the thread is empty afterwards.

updateState takes the unknown id for the beginning of the thread. Exit 1 if it raises nothing.

What to do: ask getState for the checkpoint first, and look whether it has values.
*/
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const thread = { configurable: { thread_id: "chat", checkpoint_ns: "" } };
const graph = new StateGraph(MessagesAnnotation)
  .addNode("listen", () => ({ messages: [] }))
  .addEdge(START, "listen")
  .compile({ checkpointer: SqliteSaver.fromConnString(":memory:") });
await graph.invoke({ messages: [{ role: "user", content: "my name is Ann" }] }, thread);
const unknown = { configurable: { ...thread.configurable, checkpoint_id: "1ef4f797-8335-6428-8001-8a1503f9b875" } };
try {
  await graph.updateState(unknown, { messages: [] }, "listen");
  const found = ((await graph.getState(thread)).values.messages ?? []).map((each) => each.content);
  console.log(`broken: a fork at an unknown checkpoint was accepted; the thread now has ${JSON.stringify(found)}`);
  process.exitCode = 1;
} catch (error) {
  console.log(`held: a fork at an unknown checkpoint raised ${error.name}`);
}
