/*
A process that has read the file never sees what other processes write to it later.

The file is read once. The same is behind DUR05, DUR14, DUR15 and ORD17, where one process looks at
what another one changed. Exit 1 if a message that was acknowledged elsewhere is not read.

What to do: let one process own the file, or use a history on a database.
*/
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSystemChatMessageHistory } from "@langchain/community/stores/message/file_system";

const path = process.argv[2] ?? join(mkdtempSync(join(tmpdir(), "langchain-")), "history.json");
const history = new FileSystemChatMessageHistory({ sessionId: "chat", filePath: path });
if (process.argv[2]) {
  await history.addUserMessage("second");
} else {
  await history.addUserMessage("first");
  execFileSync(process.execPath, [process.argv[1], path]); // another process, which ends
  const found = (await history.getMessages()).map((each) => each.content);
  const isBroken = !found.includes("second");
  console.log(`${isBroken ? "broken" : "held"}: another process added 'second'; this one reads ${JSON.stringify(found)}`);
  process.exitCode = isBroken ? 1 : 0;
}
