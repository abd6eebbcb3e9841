"""The service: camera, port and web page around one main loop."""

import os

MOST_PIXELS = 40_000_000
"""Of a picture from outside: a phone's 50-megapixel still says nothing more about a board. More of them cost 3 bytes
each while they are decoded, whatever few bytes they came in; with fewer the stills of some phones are refused."""

# OpenCV looks when it is loaded, which is after this: its own limit lets a small file take 3 GB.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
