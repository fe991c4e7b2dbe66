"""Studies of releases beside public information: counties compared, and the power of tests."""
