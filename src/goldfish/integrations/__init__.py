"""Other people's memory as a MemoryStore: each module adapts one library, imported when used."""
