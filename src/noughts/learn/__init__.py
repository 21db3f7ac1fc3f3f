"""The learning laboratory: tabular Q-learning of the small games, measured against their exact solutions.

Names are loaded at their first use: the decision process compiles no learner, and only the pictures need matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts.learn.mdp import Mdp, state_of, state_text
    from noughts.learn.model import MODEL_FILE, load_model, model_path, save_model
    from noughts.learn.plots import plot_convergence, plot_learning, save_plots
    from noughts.learn.settings import PRESETS, Settings, preset
    from noughts.learn.tables import QTable, make_table
    from noughts.learn.training import METRICS_FILE, Training, resume

_HOME = {
    "mdp": ("Mdp", "state_of", "state_text"),
    "model": ("MODEL_FILE", "load_model", "model_path", "save_model"),
    "plots": ("plot_convergence", "plot_learning", "save_plots"),
    "settings": ("PRESETS", "Settings", "preset"),
    "tables": ("QTable", "make_table"),
    "training": ("METRICS_FILE", "Training", "resume"),
}

__all__ = [
    "METRICS_FILE",
    "MODEL_FILE",
    "PRESETS",
    "Mdp",
    "QTable",
    "Settings",
    "Training",
    "load_model",
    "make_table",
    "model_path",
    "plot_convergence",
    "plot_learning",
    "preset",
    "resume",
    "save_model",
    "save_plots",
    "state_of",
    "state_text",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
