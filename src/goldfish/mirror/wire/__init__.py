"""What travels between clients and each provider: requests in, replies, streams and errors out.

One module per API. Each imports only the record and the answers.
"""
