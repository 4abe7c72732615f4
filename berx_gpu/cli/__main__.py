"""`python -m berx_gpu.cli` is the command line."""

from berx_gpu.cli.app import main

main()
