#!/usr/bin/env python3
"""Builds the wheel of a release: build.py BINARY VERSION OS/ARCH FOLDER.

The wheel has the static program as a script and the module for notebooks, and needs no other package. Its bytes depend
on its files and SOURCE_DATE_EPOCH alone. The format is that of PEP 427, versions are those of PEP 440.
"""
import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

PLATFORMS = {
    "linux/amd64": "manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_11_0_x86_64",
    "darwin/arm64": "macosx_11_0_arm64",
}


def pep440(version):
    """Returns a version of Go as one of Python: v0.0.0-20261122165821-0123456789ab becomes 0.0.0.dev20261122165821."""
    match = re.fullmatch(r"v?(\d+\.\d+\.\d+)(?:-(?:0\.)?(?:[a-z0-9]+\.)*(\d{14})-[0-9a-f]{12})?(?:\+.*)?", version)
    if match is None:
        return "0.0.0.dev0"
    return match[1] + (f".dev{match[2]}" if match[2] else "")


def main(binary, version, target, folder):
    here = pathlib.Path(__file__).resolve().parent
    version, platform = pep440(version), PLATFORMS[target]
    info = f"paratimer-{version}.dist-info"
    tags = "".join(f"Tag: py3-none-{p}\n" for p in platform.split("."))
    files = {
        "paratimer/__init__.py": (here / "paratimer/__init__.py").read_bytes(),
        f"paratimer-{version}.data/scripts/paratimer": pathlib.Path(binary).read_bytes(),
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: paratimer\nVersion: {version}\n"
            "Summary: When a data-parallel query will be done, and what it is waiting for\n"
            "Home-page: https://github.com/paratimer/paratimer\nLicense: Apache-2.0\nRequires-Python: >=3.8\n"
        ).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: paratimer\nRoot-Is-Purelib: false\n{tags}".encode(),
        f"{info}/licenses/LICENSE": (here / "../../LICENSE").read_bytes(),
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))[:6]
    path = pathlib.Path(folder) / f"paratimer-{version}-py3-none-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
