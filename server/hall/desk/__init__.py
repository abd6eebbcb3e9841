"""The hall's end: what boards send is checked, stored once and in order, acknowledged, and shown."""
