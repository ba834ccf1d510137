"""Principal, canonical, independent and discriminant components."""
