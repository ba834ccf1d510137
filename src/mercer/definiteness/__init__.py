"""Why, and where, a kernel is positive semi-definite; and checks of single matrices."""

from mercer.definiteness.certificate import (
    CPD,
    DIVISIBLE,
    INDEFINITE,
    MAY_BE_MISSING,
    POSITIVE_DIAGONAL,
    PSD,
    SEPARATES,
    STRICT,
    UNKNOWN,
    Certificate,
    Definite,
    Where,
    Witness,
)

__all__ = [
    "CPD",
    "DIVISIBLE",
    "INDEFINITE",
    "MAY_BE_MISSING",
    "POSITIVE_DIAGONAL",
    "PSD",
    "SEPARATES",
    "STRICT",
    "UNKNOWN",
    "Certificate",
    "Definite",
    "Where",
    "Witness",
]
