"""The computer beside a game: what plays sides of it, and what helps who learns"""
