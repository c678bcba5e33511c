"""The built site as one zip, to be read without a network: ``python -m tools.offline``.

The same site gives the same bytes: names are sorted and times are fixed.
"""

import sys
import zipfile
from pathlib import Path

from tools.downloads import PDF, ZIP, offer, offered

__all__ = ["pack"]

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"
FOLDER = "attention-token-by-token"
# Neither itself nor what is a download of its own.
LEFT_OUT = {ZIP, PDF}
TIME = (1980, 1, 1, 0, 0, 0)


def pack(site, target):
    """Write the files of ``site`` to the zip ``target``, in one folder; its front page offers no downloads."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for path in sorted(site.rglob("*")):
            name = path.relative_to(site).as_posix()
            if path.is_dir() or name in LEFT_OUT:
                continue
            data = path.read_bytes()
            if name == "book/intro.html":
                data = offered(data.decode(), ()).encode()
            info = zipfile.ZipInfo(f"{FOLDER}/{name}", TIME)
            info.external_attr = 0o644 << 16
            out.writestr(info, data, zipfile.ZIP_DEFLATED)


def main():
    if not (SITE / "index.html").exists():
        print("The site is not built: run make site.")
        return 1
    pack(SITE, SITE / ZIP)
    offer(SITE)
    print(f"The zip is {SITE / ZIP}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
