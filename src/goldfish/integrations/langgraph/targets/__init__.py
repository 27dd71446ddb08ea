"""The targets: one module for each kind of memory that the library has, and one for ours."""
