"""A store in a database across a network, over any DB-API 2 driver."""
