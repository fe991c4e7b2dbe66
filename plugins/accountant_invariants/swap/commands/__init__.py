"""The commands below `accountant swap`, one file each."""
