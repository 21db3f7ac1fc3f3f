"""The episode: a text policy against a player of ours, every move graded exactly, rewards that tell moves apart."""

import copy
import random
import re
from collections import Counter

import pytest
from conftest import SMALL

import noughts
from noughts.envs.text import Episode, TextEnv, make


def moves_in(text):
    """The moves that a text lists, read as a policy would."""
    return re.findall(r"\[[^\]]*\]", text.rpartition("Available Moves: ")[2])


def played(episode, seed=0):
    """An episode of a random policy, to its end, with all its observations."""
    draw, texts, done = random.Random(seed), [episode.reset()], False
    while not done:
        text, done, _ = episode.step(f"Let me think [9 9]. {draw.choice(moves_in(texts[-1]))}")
        texts.append(text)
    return texts


@pytest.mark.parametrize("opponent", ["random", "greedy", "perfect", "alphabeta:level=2"])
@pytest.mark.parametrize("game", ["wild", "numerical"])
def test_the_same_replies_and_seed_give_the_same_episode(game, opponent):
    episodes = [Episode(game, seat=1, opponent=opponent, seed=3, opening=2) for _ in range(2)]
    first, second = (played(episode) for episode in episodes)
    assert first == second
    assert first == played(episodes[0])  # and again by reset
    assert episodes[0].summary() == episodes[1].summary()


@pytest.mark.parametrize("opponent", ["random", "greedy", "perfect", "alphabeta:level=2"])
def test_a_seed_means_the_same_from_the_first_episode_on(opponent):
    made_with_it, told_it = (
        Episode("wild", seat=1, opponent=opponent, seed=8),
        Episode("wild", seat=1, opponent=opponent),
    )
    told_it.reset(seed=8)
    assert played(told_it) == played(made_with_it)


def test_an_opponent_draws_evenly_over_seeds_and_along_a_game():
    """Pearson's statistic of the opponent's first moves, and of its later ones in a long game."""
    episode = Episode("classic", seat=1)
    opened = Counter()
    for seed in range(9000):
        episode.reset(seed=seed)
        opened[episode.env.moves[0]] += 1
    assert sum((opened[cell] - 1000) ** 2 / 1000 for cell in range(9)) < 30  # 8 degrees of freedom: p = 0.0002
    episode, places = Episode("ultimate", grade_nodes=0), Counter()
    for seed in range(100):
        episode.reset(seed=seed)
        while not episode.done:
            episode.step(episode.legal_moves()[0])
            before, last = episode.env.state, episode.env.moves[-1]
            before.undo_action()
            legal = before.legal_actions()
            if len(episode.env.moves) > 20 and len(episode.env.moves) % 2 == 0 and len(legal) % 3 == 0:
                places[legal.index(last) * 3 // len(legal)] += 1
    assert min(places.values()) > 0.7 * max(places.values())
    assert len(places) == 3
    assert sum(places.values()) > 200


def test_a_copy_of_an_episode_goes_its_own_way():
    episode = Episode("wild", seed=5)
    episode.reset()
    episode.step("[X 4]")
    twin = copy.deepcopy(episode)
    replies = moves_in(episode.env.observation_for(0))
    first, second = episode.step(replies[0]), twin.step(replies[0])
    assert first == second
    assert episode.env.moves == twin.env.moves
    assert episode.env.moves is not twin.env.moves


@pytest.mark.parametrize("observation", ["news", "history", "board"])
def test_a_step_tells_what_the_environment_does(observation):
    for seat in (0, 1):
        episode = Episode("wild", seat=seat, seed=seat, observation=observation)
        text, done, draw = episode.reset(), False, random.Random(seat)
        while not done:
            listed = moves_in(text) or ["[X 4]"]
            text, done, _ = episode.step("nothing" if draw.random() < 0.2 else draw.choice(listed))
            again = TextEnv(episode.game, error_allowance=1, observation=observation, take="last")
            again.reset()
            for action in episode.env.moves:
                again.play(action)
            assert done == episode.done
            assert text == episode.env.observation_for(seat)
            if episode.steps[-1].valid and observation != "history":
                assert text == again.observation_for(seat)


@pytest.mark.parametrize("game", SMALL)
def test_grades_are_those_of_the_solution(game):
    solution = noughts.solve(noughts.load_game(game))
    for seed in range(15):
        episode = Episode(game, seat=seed % 2, seed=seed, opening=seed % 4)
        text, done, draw = episode.reset(), False, random.Random(seed)
        while not done:
            state = episode.env.state
            values = solution.action_values(state)
            text, done, grade = episode.step(draw.choice(moves_in(text)))
            action = episode.env.reader.exact[grade.move]
            assert grade.exact
            assert (grade.best.value, grade.value) == (max(values.values()), values[action])
            assert grade.lost == grade.best.value - grade.value
            assert grade.mattered == (len(set(values.values())) > 1)
            rated = {move.action: move.distance for move in solution.rated_moves(state)}
            assert grade.distance == rated[action]
            best = {episode.env.reader.names[a] for a, value in values.items() if value == grade.best.value}
            assert set(grade.better) == best


def test_a_perfect_policy_gives_nothing_away_and_a_random_one_does():
    lost = []
    for seed in range(20):
        episode = Episode("wild", opponent="perfect", seed=seed, opening=2)
        episode.reset()
        while not episode.done:
            state = episode.env.state
            action = noughts.solve(episode.game).best_actions(state)[0]
            episode.step(episode.env.reader.names[action])
        assert episode.summary()["given_away"] == 0
        assert episode.reward("graded") == 0.75 + episode.outcome() / 4
        played(episode, seed)
        lost.append(episode.summary()["given_away"])
    assert sum(lost) > 0


def test_rewards_say_what_they_are_made_of():
    episode = Episode("classic", opponent="perfect", seed=1, reward="per-move", error_allowance=2)
    done, paid = False, 0.0
    episode.reset()
    replies = ["no move", *(f"[{cell}]" for cell in (1, 8, 2, 0, 3, 4, 5, 6, 7))]
    for reply in replies:
        if done:
            break
        _, done, _ = episode.step(reply)
        paid += episode.reward()
    summary, given = episode.summary(), sum(grade.lost or 0 for grade in episode.steps)
    invalid = sum(not grade.valid for grade in episode.steps)
    assert summary["invalid"] == invalid >= 1
    graded = [grade for grade in episode.steps if grade.lost is not None]
    game = (episode.outcome() + 1) / 4 + 0.5 - given / len(graded) / 4 - 0.05 * invalid
    assert paid == pytest.approx(game)
    assert episode.reward("graded") == pytest.approx(game)
    assert episode.reward("outcome") == episode.outcome()
    assert given > 0


def test_grades_tell_rollouts_apart_that_end_alike():
    """Groups of eight rollouts of a random policy against the perfect player: few have one reward for all of them."""
    flat = {"outcome": 0, "graded": 0}
    for group in range(12):
        found = {"outcome": set(), "graded": set()}
        for rollout in range(8):
            episode = Episode("wild", opponent="perfect", seed=group, seat=group % 2, opening=1)
            played(episode, 100 * group + rollout)
            for kind, rewards in found.items():
                rewards.add(round(episode.reward(kind), 9))
        for kind, rewards in found.items():
            flat[kind] += len(rewards) == 1
    assert flat["outcome"] >= 8
    assert flat["graded"] <= 3


@pytest.mark.parametrize("game", ["classic", "wild", "numerical", "ultimate"])
@pytest.mark.parametrize("seat", [0, 1])
def test_openings_differ_and_leave_the_policy_something_to_do(game, seat):
    starts = set()
    for seed in range(12):
        for opening in (1, 3, 6):
            episode = Episode(game, seat=seat, seed=seed, opening=opening, opponent="random", grade_nodes=0)
            episode.reset()
            assert not episode.done
            assert episode.env.player == seat
            assert episode.legal_moves()
            starts.add(episode.env.state.to_string())
    assert len(starts) > 10


def test_a_forfeit_is_apart_from_a_loss():
    episode = Episode("classic", error_allowance=1)
    episode.reset()
    assert not episode.step("[99]")[1]
    text, done, grade = episode.step("nothing")
    assert done
    assert (grade.valid, grade.reason, grade.lost) == (False, "no_move", None)
    assert "made an invalid move" in text
    summary = episode.summary()
    assert (summary["forfeited"], summary["lost"], summary["outcome"]) == (1, 0, -1)
    assert "given_away" not in summary
    assert episode.reward() == pytest.approx(-0.1)
    assert episode.reward("outcome") == pytest.approx(-1.1)


def test_large_games_are_graded_by_search_and_say_so():
    episode = Episode("ultimate", seed=1, grade_nodes=2000)
    episode.reset()
    grade = episode.step("[4,4]")[2]
    assert grade.valid
    assert grade.lost >= 0
    assert (grade.exact, grade.distance, grade.mattered) == (False, None, True)
    again = Episode("ultimate", seed=1, grade_nodes=2000)
    again.reset()
    assert again.step("[4,4]")[2] == grade
    none = Episode("ultimate", grade_nodes=0)
    none.reset()
    assert none.step("[4,4]")[2].lost is None


def test_news_is_shown_once_and_only_to_players_who_lack_it():
    texts = played(Episode("wild", opponent="random", seed=5))
    assert texts[0].startswith("You are Player 0 in Wild Tic Tac Toe.\n")
    assert "Current Board:" in texts[0]
    for text in texts[1:]:
        assert "You are Player" not in text
        assert text.count("Current Board:") == 1
        assert text.count("[Player 0]") == 1
        assert text.count("[Player 1]") <= 1
    assert "[GAME] " in texts[-1].splitlines()[-1]


@pytest.mark.parametrize("env_id", ["WildTicTacToe-v0", "TicTacToe-v0", "NumericalTicTacToe-v0", "ExtremeTicTacToe-v0"])
@pytest.mark.parametrize("observation", ["history", "board", "news"])
def test_moves_need_not_be_listed(env_id, observation):
    shown, hidden = (make(env_id, observation=observation, list_moves=listed) for listed in (True, False))
    draw = random.Random(2)
    for env in (shown, hidden):
        env.reset()
    for _ in range(5):
        player, text = shown.get_observation()
        assert hidden.get_observation() == (player, re.sub(r"\n\nAvailable Moves: [^\n]*", "", text))
        action = draw.choice(shown.state.legal_actions())
        shown.play(action)
        hidden.play(action)


@pytest.mark.parametrize("game", ["classic", "wild", "numerical", "ultimate"])
@pytest.mark.parametrize("observation", ["history", "board", "news"])
def test_a_game_goes_on_from_any_position(game, observation):
    rules, draw = noughts.load_game(game), random.Random(4)
    state = rules.new_initial_state()
    for _ in range(3):
        state.apply_action(draw.choice(state.legal_actions()))
    for start in (state, state.to_string()):
        env = TextEnv(rules, observation=observation)
        env.reset(start=start)
        player, text = env.get_observation()
        assert player == state.current_player()
        assert text.count("Current Board:") == 1
        assert "The game goes on from this position." in text
        action = state.legal_actions()[-1]
        assert env.step(env.reader.names[action])[1]["valid"]
        assert env.state.to_string() == state.child(action).to_string()
        assert env.moves == [action]


def test_wrong_starts_and_settings_are_refused_in_a_sentence():
    env = TextEnv(noughts.load_game("classic"))
    with pytest.raises(ValueError, match=r"the game is over in 'XXX/OO\./\.\.\. end'"):
        env.reset(start="XXX/OO./... end")
    with pytest.raises(ValueError, match="start must be a position of classic"):
        env.reset(start=noughts.load_game("wild").new_initial_state())
    for facts, match in (
        ({"seat": 2}, "seat must be a whole number from 0 to 1, not 2"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"opening": True}, "opening must be a whole number"),
        ({"reward": "much"}, "reward must be one of outcome, graded, per-move, not 'much'"),
        ({"opponent": "llm:gpt"}, "there is no player 'llm'; choose from"),
        ({"opponent": "/tmp/bot.py"}, "there is no player"),
        ({"game": "games.py:MINE"}, "there is no game"),
    ):
        with pytest.raises(ValueError, match=match):
            Episode(**facts)
    with pytest.raises(ValueError, match=r"call reset\(\) first"):
        Episode().step("[X 4]")
