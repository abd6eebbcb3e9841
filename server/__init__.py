"""The service: camera, port and web page around one main loop."""

import os

from vision import MOST_PIXELS

# OpenCV looks when it is loaded, which is after this: its own limit lets a small file take 3 GB.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
