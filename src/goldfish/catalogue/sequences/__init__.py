"""SEQ: any sequence of calls is answered as the model of the small print answers it."""
