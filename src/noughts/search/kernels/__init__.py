"""The compiled part of both searches; `layout` describes the memory of an alpha-beta search."""
