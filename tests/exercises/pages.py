"""Pages for the browser tests: mounts, style sheets, and the front end as a classic script."""

from companion.exercises import frontend
from companion.exercises.widget import ExerciseWidget
from companion.frontend.mount import html, style

ASSEMBLE = """
for (const mount of document.querySelectorAll(".att-mount")) {
  Att.mount(mount, JSON.parse(mount.querySelector("script").textContent));
}
"""


def page(*mounts, head=""):
    """A whole page: ``head`` runs before anything of ours."""
    script = frontend.source().replace("export default", "return", 1)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Demo</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>body{{font-family:system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:0 1rem;"
        f"background:var(--att-paper);color:var(--att-ink)}}{style(*frontend.stylesheets())}</style>{head}</head>"
        f"<body><main><h1>Demo</h1>{''.join(mounts)}</main>"
        f"<script>const Att = (() => {{{script}}})();{ASSEMBLE}</script></body></html>"
    )


def mount(spec, **changes):
    """The mount of an exercise, as the widget's output carries it."""
    widget = ExerciseWidget(spec)
    return html(widget.kind, {**widget.spec, **changes}, widget.fallback())


def rows(specs, chapter="Demo"):
    return [
        {
            "id": spec.id,
            "title": spec.payload["title"],
            "version": spec.payload["version"],
            "difficulty": spec.difficulty,
            "minutes": spec.minutes,
            "chapter": chapter,
            "href": f"#{spec.id}",
        }
        for spec in specs
    ]


def write(path, text):
    """The file:// address of ``text`` as a page."""
    path.write_text(text, encoding="utf-8")
    return path.as_uri()
