"""How our engine finds a move: search with an evaluation, playouts without one, and two players to measure by."""
