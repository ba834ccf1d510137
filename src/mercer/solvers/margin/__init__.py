"""The dual problem of support vector machines."""
