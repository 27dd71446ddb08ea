/*
SqliteSaver: to delete a thread on a file that has no tables yet raises.

All other methods make the tables first; deleteThread does not. Exit 1 if it raises.

What to do: take a turn, or ask for a state, before a thread is deleted.
*/
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

try {
  await SqliteSaver.fromConnString(":memory:").deleteThread("a-thread-that-never-was");
  console.log("held: deleteThread on a new file is no error");
} catch (error) {
  console.log(`broken: deleteThread on a new file raised ${error.name}: ${error.message}`);
  process.exitCode = 1;
}
