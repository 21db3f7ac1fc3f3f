"""Evaluation: many games of one player against another, kept as transcripts, counted with their uncertainty, and
graded move by move where the game is solved.

    plan        what is played: the game, the players, the seats, the seeds
    transcript  the file that every reply goes to, and the games read back from it
    engine      plays what the transcript does not yet hold
    grading     what each move gave away, by the exact solution
    results     counts, rates and intervals
    report, page, chat      the results as text and as a web page, the moves as fine-tuning examples
"""
