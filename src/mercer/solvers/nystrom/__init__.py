"""The Nyström method: kernel learning on some samples, the centers, that stand for all."""
