"""A sampled mutation run over domain/: faults are put in one at a time, and the tests must notice each."""
