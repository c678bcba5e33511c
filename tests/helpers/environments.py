"""Making virtual environments to test in."""

import subprocess
import sys

__all__ = ["UV", "run"]

UV = [sys.executable, "-m", "uv", "--quiet", "--no-config", "--color", "never"]


def run(*command, **options):
    """What the command printed; its errors, if it fails, are the test's."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
