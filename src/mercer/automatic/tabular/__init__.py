"""Models of tables that learn their kernels: scores of columns, candidates, members, refits."""
