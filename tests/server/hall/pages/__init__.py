"""Tests of server/hall/pages."""
