"""Programs in an interpreter of their own, as a user starts them in a terminal."""
import subprocess
import sys

# What starts the tests in the background may have them ignore Ctrl-C, which programs inherit.
HEARS_CTRL_C = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"


def run_program(program, timeout=120):
    """Runs the text of a program, which Ctrl-C interrupts, and returns what it wrote and how it ended."""
    return subprocess.run([sys.executable, "-c", HEARS_CTRL_C + program], capture_output=True, text=True, timeout=timeout)
