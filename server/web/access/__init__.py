"""Who may do what: accounts, visits, and the rights of every route."""
