"""The learning laboratory: tabular Q-learning of the small games, measured against their exact solutions."""
