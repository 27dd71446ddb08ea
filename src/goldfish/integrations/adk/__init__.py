"""Google's ADK: session services as targets."""
