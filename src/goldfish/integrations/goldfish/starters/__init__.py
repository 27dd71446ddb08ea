"""The files that ``goldfish init`` writes, each a test module as users write them."""
