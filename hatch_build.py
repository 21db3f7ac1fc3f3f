"""Builds wheels that hold the machine code of the kernels, on request:

    HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 python -m build --wheel

Such a wheel is for one system and one Python. Its code runs with the Numba that built it, on processors of one level;
with another Numba or processor the kernels are compiled at their first use, as with any other wheel.
"""

import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from importlib import import_module
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SYSTEMS = {
    "linux-x86_64": ("x86-64-v3", "manylinux_2_17_x86_64"),
    "linux-aarch64": ("generic", "manylinux_2_17_aarch64"),
    "win-amd64": ("x86-64-v3", "win_amd64"),
    "macosx-arm64": ("generic", "macosx_11_0_arm64"),
}
"""Systems of these wheels: the level of processor (`LEVELS` in rules/kernels/compiler.py) and pip's name of the
system. Of the C library only memset, exp, log, pow and clock_gettime are called, which every manylinux has."""


class KernelWheel(BuildHookInterface):
    """Compiles the kernels in a process of their own and puts them into the wheel."""

    def dependencies(self):
        return self.metadata.core.dependencies

    def initialize(self, version, build_data):
        if version != "standard":  # an editable install
            return
        system = sysconfig.get_platform()
        if system.startswith("macosx"):  # it names the oldest version, and perhaps two architectures
            system = f"macosx-{platform.machine()}"
        if system not in SYSTEMS:
            raise ValueError(f"kernels can be built on {', '.join(SYSTEMS)}, not on {system}")
        level, tag = SYSTEMS[system]
        self._folder = tempfile.TemporaryDirectory()
        code, cache = Path(self._folder.name, "code"), Path(self._folder.name, "cache")
        code.mkdir()
        settings = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "NOUGHTS_"))}
        settings |= {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": "", "NOUGHTS_CACHE_DIR": str(cache)}
        settings |= {"NOUGHTS_SAY_NOTHING": "1", "PYTHONHASHSEED": "0"}  # two builds give the same bytes
        settings["PYTHONPATH"] = os.pathsep.join((os.path.join(self.root, "src"), os.environ.get("PYTHONPATH", "")))
        subprocess.run([sys.executable, "-P", __file__, str(code)], env=settings, check=True)
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        build_data["force_include"][str(code)] = "noughts/_kernels"
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-{python}{getattr(sys, 'abiflags', '')}-{tag}"

    def finalize(self, version, build_data, artifact_path):
        if version == "standard":
            self._folder.cleanup()


def write_kernels(folder):
    """Compiles every entry point; writes its machine code and the target."""
    from noughts.commands.warm import module_groups
    from noughts.rules.kernels import compiler, jit

    target = compiler.target(jit.kernel_hash())
    if not compiler.COMPILES_FAST or target["processor"] != os.environ["NUMBA_CPU_NAME"]:
        sys.exit(f"kernels cannot be built for {target}")
    for name in sorted(name for group in module_groups() for name in group):
        for function in vars(import_module(name)).values():
            options = getattr(function, "targetoptions", None)  # of what Numba compiles
            if options and "no_cpython_wrapper" not in options and function.__module__ == name:  # Python can call it
                compiler.save_code(function, folder)
    (folder / jit.TARGET).write_text(json.dumps(target, indent=2) + "\n")


if __name__ == "__main__":
    write_kernels(Path(sys.argv[1]))
