"""bench/compare's parts; bench/README.md tells the method."""
