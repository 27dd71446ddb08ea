"""The two memories of ``goldfish demo``: one that forgets, and the same with the fix."""
