"""The command line: parses, calls one function, prints."""

from berx_gpu.cli.app import cli as cli
from berx_gpu.cli.app import main as main
