"""Where what the camera saw meets the rules: the only rooms that know both."""
