/*
Three processes take turns on one thread in a SQLite file: some that succeeded are gone.

Each turn reads the thread at its start and writes all of it at its end. The same is behind CON02,
CON03, CON07 to CON11, CON13, CON28, DUR16 to DUR20 and SNP28, where several callers write to one
session. Exit 1 if a turn that succeeded is gone.

What to do: let one process at a time take a turn on a thread: a queue, or a lock that all share.
*/
import { fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const [PROCESSES, TURNS] = [3, 20];
const thread = { configurable: { thread_id: "chat" } };
const graphIn = (path) =>
  new StateGraph(MessagesAnnotation)
    .addNode("listen", () => ({ messages: [] }))
    .addEdge(START, "listen")
    .compile({ checkpointer: SqliteSaver.fromConnString(path) });

if (process.argv[2] === "worker") {
  const graph = graphIn(process.argv[3]);
  for (let turn = 0; turn < TURNS; turn++) {
    try {
      const said = `${process.pid} ${turn}`;
      await graph.invoke({ messages: [{ role: "user", content: said }] }, thread);
      process.send(said);
    } catch {} // a turn that failed may be missing
  }
} else {
  const path = join(mkdtempSync(join(tmpdir(), "langgraph-")), "checkpoints.sqlite");
  const graph = graphIn(path);
  await graph.invoke({ messages: [{ role: "user", content: "first" }] }, thread);
  const acknowledged = ["first"];
  const workers = Array.from({ length: PROCESSES }, () => fork(process.argv[1], ["worker", path]));
  for (const each of workers) each.on("message", (said) => acknowledged.push(said));
  await Promise.all(workers.map((each) => new Promise((done) => each.on("close", done))));
  const found = (await graph.getState(thread)).values.messages.map((each) => each.content);
  const gone = acknowledged.filter((each) => !found.includes(each));
  console.log(`${gone.length ? "broken" : "held"}: of ${acknowledged.length} turns that succeeded ${gone.length} are gone`);
  process.exitCode = gone.length ? 1 : 0;
}
