"""The environment variables of clients, set so that they reach a mirror and no provider."""

from dataclasses import dataclass

MODEL = "gpt-4o-mini"  # a name that every client knows: some reject others
KEY = "sk-goldfish-mirror"
NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there


@dataclass(frozen=True)
class Variable:
    """A variable, its value ({root} is the address of the mirror), and who reads it."""

    name: str
    value: str
    reader: str


VARIABLES = (
    Variable("OPENAI_BASE_URL", "{root}/v1", "openai and all that use it, npm's ai"),
    Variable("OPENAI_API_BASE", "{root}/v1", "llama-index, litellm, older versions of openai"),
    Variable("OPENAI_API_KEY", KEY, "openai"),
    Variable("ANTHROPIC_BASE_URL", "{root}", "anthropic, litellm; @ai-sdk/anthropic adds no /v1"),
    Variable("ANTHROPIC_API_BASE", "{root}", "litellm"),
    Variable("ANTHROPIC_API_URL", "{root}", "langchain-anthropic"),
    Variable("ANTHROPIC_API_KEY", KEY, "anthropic"),
    Variable("GOOGLE_GEMINI_BASE_URL", "{root}", "google-genai, google-adk"),
    Variable("GEMINI_API_BASE", "{root}", "litellm"),
    Variable("GEMINI_API_KEY", KEY, "google-genai, litellm"),
    Variable("GOOGLE_API_KEY", KEY, "google-genai, langchain-google-genai"),
    Variable("GOOGLE_GENAI_USE_VERTEXAI", "0", "google-genai, google-adk"),
    Variable("OLLAMA_HOST", "{root}", "ollama"),
    Variable("OLLAMA_API_BASE", "{root}", "litellm"),
    Variable("OLLAMA_BASE_URL", "{root}/v1", "pydantic-ai"),
    Variable("HTTP_PROXY", NOWHERE, "every HTTP client: no request leaves the machine"),
    Variable("HTTPS_PROXY", NOWHERE, "the same"),
    Variable("ALL_PROXY", NOWHERE, "the same"),
    Variable("NODE_USE_ENV_PROXY", "1", "node, which asks no proxy by itself"),
    Variable("NO_PROXY", "127.0.0.1,localhost,::1", "the same: but for what runs here"),
    Variable("LITELLM_LOCAL_MODEL_COST_MAP", "True", "litellm: its cost map is on the network"),
    Variable("OPENAI_AGENTS_DISABLE_TRACING", "1", "openai-agents: traces go to a fixed host"),
    Variable("LANGSMITH_TRACING", "false", "langchain"),
    Variable("LANGCHAIN_TRACING_V2", "false", "langchain, older versions"),
    Variable("MEM0_TELEMETRY", "False", "mem0"),
    Variable("OTEL_SDK_DISABLED", "true", "google-adk, agent-framework"),
)


def make_environment(root: str, *, offline: bool = True, proxy: str = NOWHERE) -> dict[str, str]:
    """Return the variables that lead clients to the mirror at this address.

    ``offline`` adds the proxy, through which nothing reaches anybody else. Proxies are read in
    small letters too, which win where both are set.
    """
    made = {each.name: each.value.format(root=root) for each in VARIABLES}
    dead = {name: proxy for name, value in made.items() if value == NOWHERE}
    made |= dead
    proxies = {name: value for name, value in made.items() if name.endswith("_PROXY")}
    if not offline:
        return {name: value for name, value in made.items() if name not in proxies}
    return made | {name.lower(): value for name, value in proxies.items()}
