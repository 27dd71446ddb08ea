"""A session of the OpenAI Agents SDK over our stores."""

from goldfish.integrations.openai_agents.dropin import Session

__all__ = ["Session"]
