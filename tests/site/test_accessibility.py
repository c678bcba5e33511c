"""No violation that axe-core finds, on any page, in both themes, at both widths."""

import pytest
from helpers.axe import violations
from helpers.pages import pages


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", pages())
def test_no_violation(visit, http, name, theme, width):
    with visit(f"{http}/{name}", viewport={"width": width, "height": 900}, theme=theme) as v:
        assert v.page.evaluate("document.documentElement.dataset.theme") == theme
        found = violations(v.page)
        assert found == [], "\n".join(found)


def test_a_planted_fault_is_found(visit, http):
    with visit(f"{http}/{pages()[0]}") as v:
        v.page.evaluate("document.querySelector('article').append(document.createElement('button'))")
        assert any(found.startswith("button-name") for found in violations(v.page))


@pytest.mark.parametrize("name", pages())
def test_every_picture_says_what_it_shows(visit, http, name):
    with visit(f"{http}/{name}") as v:
        texts = v.page.locator("article img, article svg[role=img]").evaluate_all(
            "all => all.map(e => e.getAttribute('alt') ?? e.getAttribute('aria-label') ?? '')"
        )
        for text in texts:
            assert len(text.split()) >= 5 and not text.endswith((".png", ".svg")), f"alternative text: {text!r}"
