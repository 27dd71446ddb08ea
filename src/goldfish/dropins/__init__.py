"""Our stores behind the interfaces of other people's frameworks."""
