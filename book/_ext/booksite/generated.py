"""A folder of static files that are made at build time, copied into the site by Sphinx."""

from pathlib import Path

__all__ = ["static_folder"]


def static_folder(app):
    """The folder beside the site (made and registered on first use)."""
    folder = Path(app.outdir).parent / "generated_static"
    folder.mkdir(parents=True, exist_ok=True)
    if str(folder) not in app.config.html_static_path:
        app.config.html_static_path.append(str(folder))
    return folder
