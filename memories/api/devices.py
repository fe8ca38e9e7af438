"""A token for an agent without a browser. Both addresses are open: the code is what counts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read
from console.errors import Invalid
from console.http import public
from console.saying import phrase
from memories.api import shapes
from memories.services import devices

GRANTS = ("", "device_code", "urn:ietf:params:oauth:grant-type:device_code")


class Scopes(shapes.Given):
    """Scopes as a list of texts, or as one text with spaces or commas between them."""

    default_error_messages = {"scopes": _("This is no list of scopes. Send texts in a list.")}

    def to_internal_value(self, data: Any) -> list[str]:
        """The scopes."""
        found = data.replace(",", " ").split() if isinstance(data, str) else data
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            self.fail("scopes")
        return list(found)


class Start(serializers.Serializer):
    """POST auth/device/start."""

    client_id = shapes.Given(default="agent")
    scopes = Scopes(default=list(devices.USUAL_SCOPES))


class Look(serializers.Serializer):
    """POST auth/device/token."""

    device_code = shapes.Text()
    grant_type = shapes.Text(default="")
    client_id = shapes.Given(required=False)


class StartDevice(Door):
    """POST auth/device/start."""

    changes = False

    def post(self, request: Request) -> Response:
        """Two codes: one to keep, and one to show to a person with the address where to enter it.

        Scopes that do not exist here are left out; `scopes` tells those that the person is asked for.
        """
        sent = read(Start, body_of(request))
        started = devices.start(client_id=sent["client_id"], scopes=sent["scopes"], actor=actor_of(request))
        page = f"{settings.CONSOLE_URL}/device-login"
        body = {
            "device_code": started.device_code,
            "user_code": started.user_code,
            "verification_uri": page,
            "verification_uri_complete": f"{page}?code={started.user_code}",
            "expires_in": int(devices.LIFETIME.total_seconds()),
            "interval": devices.INTERVAL,
            "scopes": started.scopes,
        }
        return Response(body)


class DeviceToken(Door):
    """POST auth/device/token. The token is told once, whatever key the request has."""

    changes = False

    def post(self, request: Request) -> Response:
        """The token, once, when a person has approved it; else 400 with the reason in `error`."""
        sent = read(Look, body_of(request))
        if sent["grant_type"] not in GRANTS:
            raise Invalid.field("grant_type", phrase("This grant is unknown. Send device_code, or leave it out."))
        found = devices.redeem(device_code=sent["device_code"], actor=actor_of(request))
        if found.token is None:
            answer = Response({"error": found.error}, status=400)
            answer.stays = True  # type: ignore[attr-defined]  # when the device looked is kept
            return answer
        user, token = found.token.user, found.token
        body = {
            "access_token": found.key,
            "token_type": "Bearer",
            "scopes": token.scopes,
            "expires_at": token.expires_at,
            "user": {"id": user.pk, "username": user.username, "display_name": user.display_name},
        }
        return Response(body)


start = public(StartDevice.as_view())
look = public(DeviceToken.as_view())
