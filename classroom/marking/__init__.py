"""Read what was handed in and judge it again, in processes that learners' code cannot leave; `report` asks for it."""
