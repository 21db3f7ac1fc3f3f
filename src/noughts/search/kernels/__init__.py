"""The compiled part of both searches; `layout` says where everything of an alpha-beta search lies."""
