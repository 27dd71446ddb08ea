"""What the pytest plugin does once it is used; goldfish_pytest.py, beside the package, is thin.

It imports catalogue, engine, findings, report and targets.
"""
