"""What each subcommand does, loaded when it runs."""
