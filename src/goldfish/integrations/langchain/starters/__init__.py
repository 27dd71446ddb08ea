"""The test files that ``goldfish init`` writes for a project that uses this library."""
