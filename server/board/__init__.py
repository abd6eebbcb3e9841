"""One board: camera, lights, record and pages, put together as the command line asks for it."""
