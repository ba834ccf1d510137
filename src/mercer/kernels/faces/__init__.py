"""How kernels look in notebooks and in the documentation: formulas, boxes, and a table of all."""
