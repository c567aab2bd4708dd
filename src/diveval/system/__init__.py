"""Files, processes, timing and the compiled scanner: what the operating system provides."""
