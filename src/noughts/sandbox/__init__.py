"""The arena: bot files by people we do not know play real games, in a jail, before a fair referee.

    jail/       what the kernel is told so that a process can compute and nothing else; standard library only
    inside/     what runs in the jailed process: finding the bot in its file, its board, its state, its answer
    bot.py      one jailed bot as the referee sees it: questions, deadlines, faults
    match.py    games between bot files and built-in players, in any mix

Bot source is never compiled or imported outside the jail.
"""
