// FileSystemChatMessageHistory of @langchain/community: one JSON file for all sessions.
import { join } from "node:path";
import { FileSystemChatMessageHistory } from "@langchain/community/stores/message/file_system";
import { CARRIES, fromLangChain, toLangChain } from "./langchain-messages.mjs";
import { serve } from "./serve.mjs";

const filePath = join(process.env.GOLDFISH_PATH, "history.json");
const open = (sessionId) => new FileSystemChatMessageHistory({ sessionId, filePath });

serve({
  name: "langchain-js-file",
  declares: {
    carries: CARRIES,
    retries: false,
    promises: '"For demo and development purposes only" (comment of the class)',
  },
  methods: {
    add_messages: [["session_id", "messages"], async ({ session_id, messages }) => {
      await open(session_id).addMessages(messages.map(toLangChain));
    }],
    get_history: [["session_id"], async ({ session_id }) => {
      return (await open(session_id).getMessages()).map(fromLangChain);
    }],
    clear: [["session_id"], ({ session_id }) => open(session_id).clear()],
  },
});
