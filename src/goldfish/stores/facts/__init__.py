"""Facts about users: when two are the same, which are near, and which fit a question."""
