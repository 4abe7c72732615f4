"""The options of each subcommand; they load click alone."""
