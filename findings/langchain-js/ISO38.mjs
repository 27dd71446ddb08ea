/*
Two histories on two files in one process share their sessions: each file gets what the other was told.

All sessions are in a variable of the module, which only the first file fills. Exit 1 if a message of
the one file is read from the other.

What to do: use one file in one process, with a userId for each part.
*/
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSystemChatMessageHistory } from "@langchain/community/stores/message/file_system";

const place = mkdtempSync(join(tmpdir(), "langchain-"));
const open = (name) => new FileSystemChatMessageHistory({ sessionId: "chat", filePath: join(place, name) });
await open("ann.json").addUserMessage("Ann's card number is 1234");
const found = (await open("bob.json").getMessages()).map((each) => each.content);
console.log(`${found.length ? "broken" : "held"}: bob.json, which nobody wrote, has ${JSON.stringify(found)}`);
process.exitCode = found.length ? 1 : 0;
