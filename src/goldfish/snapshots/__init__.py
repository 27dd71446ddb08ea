"""SQLite files and whole stores as test artifacts: compared, shown and accepted."""
