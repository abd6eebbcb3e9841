"""What is believed of made-up looks."""
