"""What a check drives: the target, opened here or in other processes, each call recorded."""
