"""k-means in feature space and spectral clustering."""
