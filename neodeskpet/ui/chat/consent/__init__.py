"""How the person is asked: what an answer can mean, and the form in which arguments are edited."""
