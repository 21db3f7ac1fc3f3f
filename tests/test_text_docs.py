"""The page about text play names what there is; test_docs_run.py runs its code."""

from pages import DOCS

PAGE = DOCS / "text.md"


def test_the_page_names_every_environment_and_every_reason():
    from noughts.envs.text import ENV_GAMES
    from noughts.text.replies import REASONS

    page = PAGE.read_text()
    for word in (*ENV_GAMES, *REASONS):
        assert f"`{word}`" in page, f"{word}: run python tests/make_fixtures.py"
