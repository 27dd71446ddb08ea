/*
Messages that one process adds at once: all but one are gone.

addMessage reads the messages, awaits, and writes them all; whoever read before is overwritten. The
same is behind CON05, CON06, CON22 and CON29. Exit 1 if an acknowledged message is gone.

What to do: await one call before the next one on the same file begins.
*/
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSystemChatMessageHistory } from "@langchain/community/stores/message/file_system";

const filePath = join(mkdtempSync(join(tmpdir(), "langchain-")), "history.json");
const history = new FileSystemChatMessageHistory({ sessionId: "chat", filePath });
const words = ["one", "two", "three", "four", "five"];
await Promise.all(words.map((each) => history.addUserMessage(each)));
const found = (await history.getMessages()).map((each) => each.content);
const isBroken = words.some((each) => !found.includes(each));
console.log(`${isBroken ? "broken" : "held"}: 5 messages at once were acknowledged; there is ${JSON.stringify(found)}`);
process.exitCode = isBroken ? 1 : 0;
