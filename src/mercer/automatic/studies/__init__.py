"""The parts of a study: how much effort it takes, its stages, its results and remarks."""
