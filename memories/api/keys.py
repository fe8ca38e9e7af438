"""What a token may ask about itself."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of
from memories.access import may_use
from memories.api.render import boundary_json
from memories.services import tokens


class ValidateToken(Door):
    """GET auth/token/validate."""

    def get(self, request: Request) -> Response:
        """Only a good token gets this far; its scopes and bounds."""
        actor = actor_of(request)
        token = tokens.own(actor.token_id, actor=actor)
        setup = "ready" if may_use(actor, "memory:read") or may_use(actor, "memory:write") else "missing_scopes"
        return Response(
            {
                "status": "valid",
                "scopes": sorted(actor.scopes),
                "setup_state": setup,
                "name": token.name,
                "expires_at": token.expires_at,
                "agent_boundary": boundary_json(actor),
            }
        )


class RevokeToken(Door):
    """POST auth/token/revoke-self."""

    def post(self, request: Request) -> Response:
        """The end of the token that calls."""
        actor = actor_of(request)
        revoked = tokens.revoke(token_id=actor.token_id, actor=actor)
        return Response({"ok": True, "status": "revoked", "revoked_at": revoked.revoked_at})
