"""Code that runs in a bot's process. It imports nothing that computes games for others, and its output is not
trusted."""
