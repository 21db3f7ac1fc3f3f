"""What runs in the process of a bot. It imports nothing that computes games for others, and nobody trusts its word."""
