"""One table: camera, lights, record and page around a board, put together as the command line asks for it"""
