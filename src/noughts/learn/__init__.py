"""Tabular Q-learning of the small games, measured against their exact solutions.

Names are loaded at their first use: the decision process compiles no learner, and only the plots need matplotlib.
"""

from typing import TYPE_CHECKING

from noughts._lazy import lazy_names

if TYPE_CHECKING:
    from noughts.learn.mdp import Mdp as Mdp
    from noughts.learn.mdp import state_of as state_of
    from noughts.learn.mdp import state_text as state_text
    from noughts.learn.model import load_model as load_model
    from noughts.learn.model import model_path as model_path
    from noughts.learn.model import save_model as save_model
    from noughts.learn.plots import plot_convergence as plot_convergence
    from noughts.learn.plots import plot_learning as plot_learning
    from noughts.learn.plots import save_plots as save_plots
    from noughts.learn.settings import PRESETS as PRESETS
    from noughts.learn.settings import TrainingSettings as TrainingSettings
    from noughts.learn.settings import preset as preset
    from noughts.learn.tables import QTable as QTable
    from noughts.learn.tables import make_table as make_table
    from noughts.learn.training import Training as Training
    from noughts.learn.training import resume as resume

lazy_names(
    __name__,
    {
        "mdp": "Mdp state_of state_text",
        "model": "load_model model_path save_model",
        "plots": "plot_convergence plot_learning save_plots",
        "settings": "PRESETS TrainingSettings preset",
        "tables": "QTable make_table",
        "training": "Training resume",
    },
)
