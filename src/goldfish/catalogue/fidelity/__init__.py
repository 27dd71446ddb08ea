"""FID: texts, fields, batches, values and facts come back exactly or are refused.

The checks may import ``catalogue.registry`` and ``catalogue.support``, ``harness`` and
``findings``.
"""
