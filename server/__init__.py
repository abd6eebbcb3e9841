"""The service: camera, port and web page around one main loop."""

import os

from vision import MOST_PIXELS

# OpenCV looks when it is loaded, which is after this: its own limit lets a small file take 3 GB.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
# What it and FFmpeg write on the terminal speaks of their insides; what is wrong with a camera is said in our own line.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_LOG_LEVEL", "FATAL")
