"""What is used where it is there: None where it is not, and tests that need it are skipped."""

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
try:
    import pyarrow
except ImportError:
    pyarrow = None

__all__ = ["numpy", "pandas", "pyarrow"]
