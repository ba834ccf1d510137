"""Kernels made from kernels: sums, products, powers, maps and changes of the feature space."""
