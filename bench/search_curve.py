"""The curve of strictness as a small SVG, written by hand so that it reads the same in light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, LEFT, TOP, SIDE = 640, 400, 60, 24, 300
COLOURS = ("#2f6fde", "#c2410c", "#6b7280", "#a8a29e")
Points = Sequence[tuple[float, float]]


def svg(lines: Mapping[str, Points], *, cut_at: float = 0.05, most_false: float = 0.5) -> str:
    """A chart of right answers (up) against false ones (across), one line a system; `cut_at` is marked."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="t">',
        "<style>text { font: 12px system-ui, sans-serif; fill: #374151 }</style>",
        '<title id="t">Right answers against false ones as the cut of strict search falls</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_grid(most_false),
        f'<path d="M{_x(cut_at, most_false)} {TOP}v{SIDE}" stroke="#9ca3af" stroke-dasharray="2 3"/>',
    ]
    for number, (name, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{_x(false, most_false)},{_y(right)}" for false, right in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        at = TOP + SIDE - 12 - 18 * (len(lines) - 1 - number)
        parts.append(f'<line x1="330" x2="352" y1="{at - 4}" y2="{at - 4}" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="360" y="{at}">{name}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _x(false: float, most: float) -> int:
    return round(LEFT + (WIDTH - LEFT - 24) * false / most)


def _y(right: float) -> int:
    return round(TOP + SIDE * (1 - right))


def _grid(most: float) -> list[str]:
    parts = []
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 24}" y1="{y}" y2="{y}" stroke="#e5e7eb"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{tenth * 10} %</text>')
    for number in range(6):
        share = most * number / 5
        parts.append(f'<text x="{_x(share, most)}" y="{TOP + SIDE + 18}" text-anchor="middle">{share:.0%}</text>')
    parts.append(
        f'<text x="{(LEFT + WIDTH) // 2}" y="{TOP + SIDE + 40}" text-anchor="middle">'
        "foreign questions that get an answer</text>"
    )
    parts.append(f'<text x="{LEFT}" y="{TOP - 8}">questions answered rightly</text>')
    return parts
