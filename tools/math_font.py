"""Make companion/frontend/math.woff2: the part of Latin Modern Math that the book's maths needs.

Browsers draw MathML without a script, but stretch brackets and roots only with a font that has
a MATH table. The whole font is 730 kB; this subset keeps the table, and the size variants of what it keeps.
Needs fonttools and brotli, and latinmodern-math.otf with its licence beside it (Debian: fonts-lmodern).
The licence asks that a changed font bear another name: it is called Book Math.

    python tools/math_font.py latinmodern-math.otf
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parent.parent / "companion" / "frontend" / "math.woff2"
NAME = "Book Math"


def spans(*pairs):
    return [code for first, last in pairs for code in range(first, last + 1)]


CHARACTERS = [
    *spans((0x20, 0x7E), (0xA0, 0xA0), (0xB1, 0xB1), (0xB7, 0xB7), (0xD7, 0xD7), (0xF7, 0xF7)),
    *spans((0x391, 0x3A9), (0x3B1, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D6), (0x3F5, 0x3F5)),
    # Bold and italic Latin; bold, italic and bold italic small Greek, italic capital Greek; bold digits.
    *spans((0x1D400, 0x1D467), (0x210E, 0x210E), (0x1D7CE, 0x1D7D7)),
    *spans((0x1D6C2, 0x1D6E0), (0x1D6E2, 0x1D6FA), (0x1D6FC, 0x1D71B), (0x1D736, 0x1D755)),
    *map(ord, "𝓛𝒪ℒℝℕℤ𝟙"),
    *map(ord, "ˆ˜¯˙⃗̂̃̄"),
    *map(ord, "′″…⋮⋯⋱‖−∓∗∘∙√∝∞∠∧∨∩∪∫∑∏∼≈≃≅≠≡≤≥≪≫⊂⊃⊆⊇⊕⊖⊗⊘⊙⊤⊥⋅⋆∀∂∃∅∇∈∉∋∖⧵∣∥"),
    *map(ord, "←↑→↓↔↦⇐⇒⇔⟵⟶⟹⟨⟩⌈⌉⌊⌋⏞⏟"),
]


def main(path):
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = []
    options.hinting = False
    options.drop_tables += ["FFTM", "GPOS", "GSUB"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    font = TTFont(path)
    maker = subset.Subsetter(options)
    maker.populate(unicodes=CHARACTERS)
    maker.subset(font)
    _rename(font)
    subset.save_font(font, str(TARGET), options)
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB, {font['maxp'].numGlyphs} glyphs")


def _rename(font):
    plain = NAME.replace(" ", "")
    for record in font["name"].names:
        renamed = {1: NAME, 3: f"{plain}-1", 4: NAME, 6: plain}.get(record.nameID)
        if renamed:
            record.string = renamed
    compact = font["CFF "].cff
    compact.fontNames = [plain]
    top = compact[0]
    for field in ("FullName", "FamilyName"):
        if hasattr(top, field):
            setattr(top, field, NAME)


if __name__ == "__main__":
    main(sys.argv[1])
