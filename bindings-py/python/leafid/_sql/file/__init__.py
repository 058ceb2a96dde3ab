"""`sqlite:PATH`: a store in a file, for the processes of one machine."""
