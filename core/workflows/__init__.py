"""One file per command, used by the command line and the pages alike."""
