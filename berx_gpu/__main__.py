"""`python -m berx_gpu` is the command line."""

from berx_gpu.cli import main

main()
