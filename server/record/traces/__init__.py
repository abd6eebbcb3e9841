"""What was seen and told to the referee, kept so that it can be judged again."""
