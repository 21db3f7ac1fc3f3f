"""Environments: the games behind the interfaces that other people's agents know.

`gym` and `vector` for Gymnasium, `zoo` for PettingZoo, `openspiel` for OpenSpiel, `text` for TextArena. Importing this
package loads none of them. But if Gymnasium is loaded already, it learns the names of ours: `gymnasium.make` and
`gymnasium.make_vec` then take ``noughts/Numerical-v0`` and the like.
"""

import sys

if sys.modules.get("gymnasium"):
    from noughts.envs import registration

    registration.register()
