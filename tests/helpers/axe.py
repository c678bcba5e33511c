"""What axe-core finds on a page that is open."""

from pathlib import Path

__all__ = ["violations"]

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """tags => axe.run(document, {runOnly: tags}).then(result => result.violations.map(v => [
    `${v.id}: ${v.help}`, ...v.nodes.map(n => `    ${n.target} ${n.html.slice(0, 160)}`)].join("\\n")))"""


def violations(page):
    """The violations of WCAG 2.2, levels A and AA: one text each, with the elements."""
    page.evaluate(AXE.read_text())
    return page.evaluate(RUN, TAGS)
