"""What only a course needs: its old bots, written for Python 2, and the submission rules' view of a source."""
