"""One whole evening at a table: the real program, the lights of the real firmware, and a real browser."""
