"""Whose sister, mother, son: a sentence about somebody's kin says nothing of that person. Pure."""

from __future__ import annotations

import re

_KIN_WORDS = """
    mother mum mom father dad sister brother daughter son grandmother grandma grandfather grandpa aunt uncle wife
    husband cousin niece nephew
    mãe pai irmã irmão filha filho avó avô tia tio mulher marido esposa prima primo sobrinha sobrinho sogra sogro
    cunhada cunhado
    madre padre hermana hermano hija hijo abuela abuelo tía mujer esposo suegra suegro cuñada cuñado
"""
_KIN = "|".join(_KIN_WORDS.split())
_UNSPACED = "母|父|姉|妹|兄|弟|娘|息子|祖母|祖父|叔母|伯母|叔父|伯父|妻|夫|いとこ|おばあ|おじい"
_HANGUL = (
    "어머니|엄마|아버지|아빠|누나|언니|여동생|오빠|형|남동생|동생|딸|아들|할머니|할아버지|이모|고모|삼촌|아내|남편"
)
_OWNED = re.compile(
    rf"(?P<en>\w+)['’]s (?:\w+ )?(?:{_KIN})\b|\b(?:{_KIN}) (?:de|do|da|del|of) (?P<of>\w+)"
    rf"|(?P<ja>[\u3400-\u4dbf\u4e00-\u9fff\u30a1-\u30fa\u30fc]{{1,8}})(?:さん|くん|ちゃん|様|氏)?の(?:{_UNSPACED})"
    rf"|(?P<ko>[\uac00-\ud7af]{{2,4}}?)(?:이|의|이의|네)? (?:{_HANGUL})",
    re.IGNORECASE,
)
_ANY = re.compile(rf"\b(?:{_KIN})\b|{_UNSPACED}|(?:^|\s)(?:{_HANGUL})", re.IGNORECASE)


def of_kin(word: str) -> bool:
    """Whether a word names somebody's kin."""
    return _ANY.search(word) is not None


def of_kin_alone(one: str, other: str) -> bool:
    """Whether one text is about the kin of somebody whom the other names without any kin."""
    return _kin_of_a_plain_name(one, other) or _kin_of_a_plain_name(other, one)


def _kin_of_a_plain_name(text: str, other: str) -> bool:
    if _ANY.search(other):
        return False
    owners = (next(filter(None, found.groups()), "") for found in _OWNED.finditer(text))
    return any(len(owner) > 1 and owner.casefold() in other.casefold() for owner in owners)
