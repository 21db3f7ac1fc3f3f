"""What only a course needs: logs of its evaluators, old bots for Python 2, the submission rules' view of a source."""
