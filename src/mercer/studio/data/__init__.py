"""Tables of the user: columns, fits in the background, errors and predictions."""
