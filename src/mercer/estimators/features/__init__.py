"""Approximate feature maps: transformers after which linear models do kernel learning."""
