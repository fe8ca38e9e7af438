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
from django.utils.crypto import salted_hmac

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
    about = _about(reflect_pass)
    team = Team.objects.filter(pk=to.space_id).first()
    where = team.name if team else "your private space"
    counts = ", ".join(f"{count} to {name}" for name, count in about["counts"].items() if count) or "nothing to change"
    wants = "waits for a decision" if about["expires_at"] else "was applied by the policy and waits for a look"
    text = f"A pass over {where} {wants}: {counts}.\n\n{about['url']}\n"
    if about["expires_at"]:
        text += f"\nThe plan expires at {reflect_pass.expires_at:%Y-%m-%d %H:%M} UTC.\n"
    text += f"\nYou asked for this under {settings.CONSOLE_URL}/notices, where you can end it.\n"
    subject = " ".join(f"Memory Console: a pass over {where} waits".split())
    try:
        EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, [to.address]).send()
    except (OSError, smtplib.SMTPException) as problem:
        raise NotTold(f"The mail server did not take it ({type(problem).__name__}).") from problem


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
