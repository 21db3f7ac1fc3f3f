"""Builds wheels with the kernels as an extension module, on request:

    HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 python -m build --wheel

Such a wheel is for one system and every Python from 3.11 on. It depends on NumPy, and not on Numba.
"""

import platform
import sys
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SYSTEMS = {
    "linux-x86_64": "manylinux_2_17_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64",
    "win-amd64": "win_amd64",
    "macosx-arm64": "macosx_11_0_arm64",
}
"""Pip's names of the systems of these wheels."""


class KernelWheel(BuildHookInterface):
    """Builds the extension and puts it into the wheel."""

    def dependencies(self):
        return [*self.metadata.core.dependencies, "numpy>=2", "ziglang"]

    def initialize(self, version, build_data):
        if version != "standard":  # an editable install; there `python build_kernels.py` builds the extension
            return
        sys.path.insert(0, self.root)
        import build_kernels

        system = sysconfig.get_platform()
        if system.startswith("macosx"):  # it names the oldest version, and perhaps two architectures
            system = f"macosx-{platform.machine()}"
        if system not in SYSTEMS:
            raise ValueError(f"wheels with kernels can be built on {', '.join(SYSTEMS)}, not on {system}")
        tag = SYSTEMS[system]
        if sys.platform == "linux" and not build_kernels.links_for_old_systems(build_kernels.c_compiler()):
            tag = system.replace("-", "_")  # it may need the C library of this system
        self._folder = tempfile.TemporaryDirectory()
        extension = build_kernels.build(Path(self._folder.name))
        build_data["force_include"][str(extension)] = f"noughts/{extension.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{tag}"
        dependencies = self.metadata.core.dependencies
        dependencies[:] = [needed for needed in dependencies if not needed.startswith("numba")]

    def finalize(self, version, build_data, artifact_path):
        if version == "standard":
            self._folder.cleanup()
