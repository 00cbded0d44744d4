"""bench/postfix's parts; bench/README.md tells the method. Database servers, the daemon and goals are those of bench/compare."""
