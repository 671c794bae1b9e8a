"""What `nacre doctor` looks at: each module finds out one kind of thing, by doing it where it can."""
