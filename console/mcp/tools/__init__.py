"""The tools, by what they are about."""

from __future__ import annotations

from console.mcp.tool import Tool
from console.mcp.tools import finding, identity, keeping, kinds, overview, reflecting, removing, trail

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        *finding.TOOLS,
        *keeping.TOOLS,
        *removing.TOOLS,
        *reflecting.TOOLS,
        *kinds.TOOLS,
        *trail.TOOLS,
        *overview.TOOLS,
        *identity.TOOLS,
    )
}
