/*
A process that is killed amid a batch leaves a part of it.

addMessages writes the whole file once for each message. Exit 1 if some messages of the batch are
there and others are not, or if the file cannot be read any more.

What to do: use a history on a database, and add a batch in one transaction.
*/
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { FileSystemChatMessageHistory } from "@langchain/community/stores/message/file_system";

const COUNT = 2000;
const path = process.argv[2] ?? join(mkdtempSync(join(tmpdir(), "langchain-")), "history.json");
const history = new FileSystemChatMessageHistory({ sessionId: "chat", filePath: path });
if (process.argv[2]) {
  await history.addMessages(Array.from({ length: COUNT }, (_, at) => new HumanMessage(`part ${at}`)));
} else {
  const worker = fork(process.argv[1], [path]);
  const over = new Promise((done) => worker.on("close", done));
  const begun = () => { try { return readFileSync(path, "utf8").includes("part 3"); } catch { return false; } };
  while (!begun()) await new Promise((later) => setTimeout(later, 5));
  worker.kill("SIGKILL");
  await over;
  let said;
  try {
    const found = (await history.getMessages()).length;
    said = found % COUNT ? `broken: of a batch of ${COUNT} messages ${found} are there` : `held: ${found} messages`;
  } catch (error) {
    said = `broken: after the kill, ${error.message.slice(0, 80)}`;
  }
  console.log(said);
  process.exitCode = said.startsWith("broken") ? 1 : 0;
}
