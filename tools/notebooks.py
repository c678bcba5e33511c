"""Execute the notebooks from top to bottom and bring them to their committed form.

    python -m tools.notebooks [PATH ...]     all of notebooks/ unless paths are given
    python -m tools.notebooks --address      only write the repository's address, where it is known

The committed form: cell ids that follow from the cell's content, no metadata but what is
read, no widget state and no view of a kernel that is gone, and a figure's alternative text
where the site looks for it.
"""

import argparse
import hashlib
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tools import colab

ROOT = Path(__file__).resolve().parent.parent
CELL_TIMEOUT_S = 120
KEPT_CELL_METADATA = ("tags",)
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
IMAGES = ("image/svg+xml", "image/png")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(notebook):
    """Run every cell in a fresh kernel; an error in an untagged cell stops here."""
    NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(ROOT / "notebooks")}},
    ).execute()


def normalise(notebook):
    """Bring a notebook to its committed form, in place. Applying it twice changes nothing."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen = {}
    for cell in notebook.cells:
        cell.source = cell.source.rstrip()
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
        count = seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if count == 1 else f"{digest}-{count}"
        metadata = {key: cell.metadata[key] for key in KEPT_CELL_METADATA if cell.metadata.get(key)}
        if cell.cell_type == "code":
            for output in cell.outputs:
                _normalise_output(output)
            alt = _image_alt(cell)
            if alt:
                metadata["mystnb"] = {"image": {"alt": alt}}
        cell.metadata = nbformat.from_dict(metadata)
    return notebook


def _normalise_output(output):
    if "data" in output:
        output.data.pop(WIDGET_VIEW, None)
    if "metadata" in output:
        output.metadata = nbformat.from_dict({})


def _image_alt(cell):
    for output in cell.outputs:
        data = output.get("data", {})
        if any(kind in data for kind in IMAGES):
            return " ".join(data.get("text/plain", "").split())
    return None


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--address", action="store_true", help="write the repository's address, run nothing")
    options = parser.parse_args(arguments)
    address = colab.repository()
    if options.address and not address:
        parser.exit(1, "No address: set BOOK_REPOSITORY_URL, or a remote named origin.\n")
    for path in options.paths or sorted((ROOT / "notebooks").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        colab.fill(notebook, address)
        if not options.address:
            execute(notebook)
        nbformat.write(normalise(notebook), path)
        code = sum(cell.cell_type == "code" for cell in notebook.cells)
        print(f"{path.name}: {address}" if options.address else f"{path.name}: {code} code cells run")


if __name__ == "__main__":
    main()
