/*
Two processes add to one history in a file: what the other one wrote is overwritten.

A process reads the file once and keeps all sessions in a variable of the module; each message writes
that variable over the whole file. So it neither sees nor keeps what other processes write, even to
other sessions. The same is behind CON02, CON03, CON07 to CON11, CON13, CON28, DUR07, DUR13, DUR16
to DUR20, LIV07 and LIV08. Exit 1 if an acknowledged message is gone.

What to do: let one process own the file, or use a history on a database.
*/
import { fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSystemChatMessageHistory } from "@langchain/community/stores/message/file_system";

const COUNT = 20;
const open = (filePath) => new FileSystemChatMessageHistory({ sessionId: "chat", filePath });

if (process.argv[2] === "worker") {
  const history = open(process.argv[3]);
  await history.getMessages(); // as a server does that has had a visitor
  process.send("ready");
  await new Promise((go) => process.once("message", go));
  for (let turn = 0; turn < COUNT; turn++) {
    await history.addUserMessage(`${process.pid} ${turn}`);
    process.send(`${process.pid} ${turn}`);
  }
  process.disconnect();
} else {
  const path = join(mkdtempSync(join(tmpdir(), "langchain-")), "history.json");
  const acknowledged = [];
  const workers = [1, 2].map(() => fork(process.argv[1], ["worker", path]));
  await Promise.all(workers.map((each) => new Promise((ready) => each.once("message", ready))));
  for (const each of workers) each.on("message", (said) => acknowledged.push(said)).send("go");
  await Promise.all(workers.map((each) => new Promise((done) => each.on("close", done))));
  const found = (await open(path).getMessages()).map((each) => each.content);
  const gone = acknowledged.filter((each) => !found.includes(each));
  console.log(`${gone.length ? "broken" : "held"}: of ${acknowledged.length} acknowledged messages ${gone.length} are gone`);
  process.exitCode = gone.length ? 1 : 0;
}
