// Messages of the protocol as LangChain's own, and back.
import { AIMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

const KINDS = { user: HumanMessage, assistant: AIMessage, system: SystemMessage, tool: ToolMessage };
const ROLES = { human: "user", ai: "assistant", system: "system", tool: "tool" };

export const CARRIES = ["role", "content", "id", "name", "tool_call_id", "metadata"];

export function toLangChain({ role, content, id, name, tool_call_id, metadata }) {
  const fields = { content, id, additional_kwargs: { metadata } };
  if (name != null) fields.name = name;
  if (role === "tool" || tool_call_id != null) fields.tool_call_id = tool_call_id ?? "";
  if (tool_call_id != null && role !== "tool") fields.additional_kwargs.tool_call_id = tool_call_id;
  return KINDS[role] ? new KINDS[role](fields) : new ChatMessage({ ...fields, role });
}

export const fromLangChain = (message) => ({
  role: ROLES[message.getType()] ?? message.role,
  content: message.content,
  id: message.id,
  name: message.name ?? null,
  tool_call_id: message.tool_call_id || message.additional_kwargs.tool_call_id || null,
  metadata: message.additional_kwargs.metadata ?? {},
});
