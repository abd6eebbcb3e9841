"""One file a subcommand: the module `x_y` holds the click command `command` for `referee x-y`."""
