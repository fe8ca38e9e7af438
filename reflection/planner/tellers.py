"""Who tells a text that names its speaker itself, as in "Ann: I moved to Basel." Pure.

What stands before the colon is taken for a speaker where it is a part in a conversation or looks like a name: up to
three words with capitals, or a few letters of a script without them. A heading that looks so too costs little: it only
keeps apart what stands under other headings.
"""

from __future__ import annotations

import re

_BEFORE = re.compile(r"\s*\**([^\s:：*][^:：\n*]{0,39}?)\**\s*(?:：|:\**\s)")
_PARTS = frozenset(("user", "assistant", "human", "ai", "agent", "system", "bot", "customer", "support"))
_NAME = re.compile(r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f][^\W\d_]*(?:[-'’.][^\W\d_]*)*")
_UNCASED = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{1,8}")
_HEADINGS = """
    note notes update todo reminder decision decided fact summary question answer warning important idea result status
    action plan goal task bug fix issue ps fyi tip example address phone email password
    nota notas aviso lembrete recordatorio decisão decisión tarefa tarea pergunta pregunta resposta respuesta resumo
    resumen importante ideia dirección endereço
    メモ 注意 決定 質問 回答 要約 住所 電話 메모 참고 결정 질문 답변 요약 주소 전화
"""
_NO_SPEAKERS = frozenset(_HEADINGS.split())


def teller(text: str) -> str:
    """The speaker whom `text` begins with, case-folded; empty where it names none."""
    found = _BEFORE.match(text)
    if not found:
        return ""
    words = found.group(1).split()
    folded = " ".join(words).casefold()
    if folded in _PARTS:
        return folded
    if not words or len(words) > 3 or words[0].casefold() in _NO_SPEAKERS:
        return ""
    named = all(_NAME.fullmatch(word) for word in words) or all(_UNCASED.fullmatch(word) for word in words)
    return folded if named else ""
