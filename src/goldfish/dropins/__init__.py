"""Our stores behind other people's interfaces, under the names that the documentation shows."""
