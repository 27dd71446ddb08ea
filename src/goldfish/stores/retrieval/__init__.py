"""What facts and searches share: words, names, times and vectors of texts, and scores of them."""
