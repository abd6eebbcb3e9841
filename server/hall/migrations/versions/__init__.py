"""The steps. A new one names the one before; none is changed once it was published."""
