"""What several checks share: what they write, read, compare and do to the world."""
