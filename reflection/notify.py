"""How a notice leaves the console: an e-mail, or a signed POST to a webhook. Nothing in it quotes a record."""

from __future__ import annotations

import hashlib
import hmac
import json
import smtplib
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from console import endpoints
from memories.models import Team
from reflection.models import Channel, ReflectPass, Subscription
from reflection.states import Status

SECONDS = 5.0
SIGNATURE = "X-Memory-Console-Signature"


class NotTold(Exception):
    """The notice was not taken; it may be tried again."""


def tell(to: Subscription, reflect_pass: ReflectPass) -> None:
    """Send one notice. Raises NotTold."""
    (_mail if to.channel == Channel.EMAIL else _post)(to, reflect_pass)


def secret_of(subscription: Subscription) -> str:
    """The key with which the webhook's posts are signed. It follows SECRET_KEY and is stored nowhere."""
    return salted_hmac("reflection.notices", str(subscription.pk), algorithm="sha256").hexdigest()


def signature(secret: str, body: bytes) -> str:
    """What the header says of a body: HMAC-SHA256."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _about(reflect_pass: ReflectPass) -> dict[str, Any]:
    planned = reflect_pass.status == Status.PLANNED
    return {
        "event": "pass.awaits_approval" if planned else "pass.awaits_sign_off",
        "pass_id": str(reflect_pass.pk),
        "space_id": str(reflect_pass.space_id),
        "counts": reflect_pass.counts,
        "planned_at": reflect_pass.planned_at.isoformat(),
        "expires_at": reflect_pass.expires_at.isoformat() if planned else None,
        "url": f"{settings.CONSOLE_URL}/passes/{reflect_pass.pk}",
    }


def _mail(to: Subscription, reflect_pass: ReflectPass) -> None:
    with translation.override(_language_of(to)):
        subject, text = _letter(to, reflect_pass)
    try:
        EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, [to.address]).send()
    except (OSError, smtplib.SMTPException) as problem:
        raise NotTold(f"The mail server did not take it ({type(problem).__name__}).") from problem


def _language_of(to: Subscription) -> str:
    """The language of the person who asked for it, English where it is none of ours."""
    try:
        return translation.get_supported_language_variant(to.user.language.lower())
    except LookupError:
        return settings.LANGUAGE_CODE


def _letter(to: Subscription, reflect_pass: ReflectPass) -> tuple[str, str]:
    """Subject and text, in the language of the moment. No word of any memory is in them."""
    about = _about(reflect_pass)
    team = Team.objects.filter(pk=to.space_id).first()
    where = team.name if team else _("your private space")
    values = {"where": where, "counts": _counts(about["counts"])}
    parts = [
        _("A pass over %(where)s waits for a decision: %(counts)s.") % values
        if about["expires_at"]
        else _("A pass over %(where)s was applied by the policy and waits for a look: %(counts)s.") % values,
        about["url"],
    ]
    if about["expires_at"]:
        parts.append(_("The plan expires at %(at)s.") % {"at": f"{reflect_pass.expires_at:%Y-%m-%d %H:%M} UTC"})
    address = f"{settings.CONSOLE_URL}/notices"
    parts.append(_("You asked for this under %(address)s, where you can end it.") % {"address": address})
    subject = _("Memory Console: a pass over %(where)s waits") % {"where": where}
    return " ".join(subject.split()), "\n\n".join(parts) + "\n"


def _counts(counts: dict[str, int]) -> str:
    found = [
        _("%(count)s to %(action)s") % {"count": count, "action": translation.gettext(name)}
        for name, count in counts.items()
        if count
    ]
    return ", ".join(found) or _("nothing to change")


def _post(to: Subscription, reflect_pass: ReflectPass) -> None:
    body = json.dumps(_about(reflect_pass)).encode()
    parts = urlsplit(to.address)
    host = parts.hostname or ""
    address = _address(host)
    literal = f"[{address}]" if ":" in address else address
    target = parts._replace(netloc=f"{literal}:{parts.port}" if parts.port else literal).geturl()
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        SIGNATURE: signature(secret_of(to), body),
    }
    try:
        with httpx.Client(trust_env=False, follow_redirects=False, timeout=SECONDS) as client:
            answer = client.post(target, content=body, headers=headers, extensions={"sni_hostname": host})
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        raise NotTold(f"{host} could not be reached ({type(problem).__name__}).") from problem
    if not answer.is_success:
        raise NotTold(f"{host} answered {answer.status_code}.")


def _address(host: str) -> str:
    """The address to connect to, looked up now. Raises NotTold where it leads inside."""
    if settings.NOTICES_INSIDE:
        if endpoints.hands_out_keys(host):
            raise NotTold(f"{host} leads to where clouds hand out keys of the machine.")
        return host
    found = endpoints.public_address(host)
    if found is None:
        raise NotTold(f"{host} leads into the network of the console, or nowhere.")
    return found
