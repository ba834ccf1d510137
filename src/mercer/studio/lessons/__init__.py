"""Lecture figures: their samples, kernels and learners, and the chapters that explain them."""
