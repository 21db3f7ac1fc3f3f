"""Confinement of a running Python process by the kernel: it can compute, and nothing else. Standard library only."""
