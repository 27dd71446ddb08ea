"""What the pytest plugin needs; goldfish_pytest.py loads it only when it is used."""
