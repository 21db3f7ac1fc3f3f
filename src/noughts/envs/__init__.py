"""Environments: the games behind common interfaces for agents.

`gym` and `vector` for Gymnasium, `zoo` for PettingZoo, `openspiel` for OpenSpiel, `text` for TextArena. Importing this
package loads none of them. If Gymnasium is already loaded, the games are registered with it: `gymnasium.make` and
`gymnasium.make_vec` then accept ids such as ``noughts/Numerical-v0``.
"""

import sys

if sys.modules.get("gymnasium"):
    from noughts.envs import registration

    registration.register()
