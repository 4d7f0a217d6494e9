"""Builds the wheel: the Python files of coslice/ beside libcoslice.so (PEP 517, without any package).

The library is the one that $COSLICE_LIBRARY names, else build/shared/libcoslice.so of the tree, which ``./dev library``
builds first where it is missing.
"""

import base64
import hashlib
import os
import re
import subprocess
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def _version():
    return re.search(r"project\(coslice VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def _metadata():
    return f"""Metadata-Version: 2.1
Name: coslice
Version: {_version()}
Summary: A scriptable simulator of HPC job scheduling
License: MIT
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == 'numpy'
Provides-Extra: pandas
Requires-Dist: pandas; extra == 'pandas'

coslice simulates how a supercomputer schedules its jobs.
"""


def _library():
    given = os.environ.get("COSLICE_LIBRARY")
    if given:
        return Path(given)
    built = ROOT / "build" / "shared" / "libcoslice.so"
    if not built.exists():
        subprocess.run([str(ROOT / "dev"), "library"], check=True)
    return built


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    info = f"coslice-{version}.dist-info"
    name = f"coslice-{version}-py3-none-{platform}.whl"
    files = {f"coslice/{path.name}": path.read_bytes() for path in sorted((HERE / "coslice").iterdir())
             if path.suffix == ".py" or path.name == "py.typed"}
    files["coslice/libcoslice.so"] = _library().read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    about = f"Wheel-Version: 1.0\nGenerator: coslice\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n"
    files[f"{info}/WHEEL"] = about.encode()
    record = ""
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # with a date that is always the same
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
        wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("coslice is built from its source tree: pip install ./python")


if __name__ == "__main__":  # python3 backend.py FOLDER
    import sys

    print(Path(sys.argv[1]) / build_wheel(sys.argv[1]))
