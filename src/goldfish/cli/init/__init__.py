"""`goldfish init`: find what a project remembers with, and write a test for it."""
