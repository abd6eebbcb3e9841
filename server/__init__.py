"""The service: camera, port and web page around one main loop."""
