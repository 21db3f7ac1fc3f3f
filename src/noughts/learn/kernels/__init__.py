"""The compiled part of learning."""
