"""What was found, told to people and machines; nothing here knows a check or a store."""
