"""The OpenAI Agents SDK: sessions as targets, and a session over our stores."""
