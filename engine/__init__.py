"""The rules and the referee: standard library only, no clock, no input or output."""
