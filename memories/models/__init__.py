"""The records, their people and their audit."""

from memories.models.answers import KeptAnswer
from memories.models.audit import AuditHead, AuditRecord
from memories.models.devices import DeviceLogin
from memories.models.erasure import Erasure, ErasureRequest
from memories.models.kinds import Decision, MemoryUse, Snapshot, SpaceSettings
from memories.models.ledger import LedgerEntry
from memories.models.memory import (
    Memory,
    MemoryEmbedding,
    MemoryLink,
    MemoryState,
    MemoryVersion,
)
from memories.models.people import ApiToken, Membership, Team, User
from memories.models.rates import RateCount
from memories.models.record import LifecycleStatus
from memories.models.todo import Todo
from memories.models.views import SavedView

__all__ = [
    "ApiToken",
    "AuditHead",
    "AuditRecord",
    "Decision",
    "DeviceLogin",
    "Erasure",
    "ErasureRequest",
    "KeptAnswer",
    "LedgerEntry",
    "LifecycleStatus",
    "Memory",
    "MemoryEmbedding",
    "MemoryLink",
    "MemoryState",
    "MemoryUse",
    "MemoryVersion",
    "Membership",
    "RateCount",
    "SavedView",
    "Snapshot",
    "SpaceSettings",
    "Team",
    "Todo",
    "User",
]
