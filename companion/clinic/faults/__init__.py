"""Functions with a planted fault, as short runnable source texts, each with its fix."""

from companion.clinic.faults.base import FORMS, Fault, compiled, healthy_source, pair
from companion.clinic.faults.planted import PLANTED

__all__ = ["FORMS", "PLANTED", "Fault", "compiled", "healthy_source", "pair"]
