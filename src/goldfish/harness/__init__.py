"""What a check drives: the target, opened here or in other processes, each call recorded.

It imports targets, world, history and findings; it knows neither the catalogue nor the engine.
"""
