"""The form of a policy. What is wrong is said by the service, beside each field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import translation
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.errors import Invalid
from reflection.models import ReflectionPolicy
from reflection.numbers import LIFETIME, REPORT, RULES, Rule
from reflection.pages.new import Choice, Text
from reflection.services import policies
from reflection.services.policies import SETTINGS, Changed, Setting
from reflection.states import Action

GROUPS = {
    "plan": (gettext_lazy("How passes go"), gettext_lazy("Who decides, and for how long a plan waits.")),
    Action.SUMMARIZE.value: (
        gettext_lazy("Summarize"),
        gettext_lazy("Events that belong together become one record that cites them."),
    ),
    Action.PROMOTE.value: (gettext_lazy("Promote"), gettext_lazy("What was said again and again becomes a fact.")),
    Action.EXPIRE.value: (
        gettext_lazy("Expire"),
        gettext_lazy("Records leave at their own date. There is nothing to choose here."),
    ),
    Action.DECAY.value: (gettext_lazy("Decay"), gettext_lazy("Importance falls with time that passes without use.")),
    Action.ARCHIVE.value: (
        gettext_lazy("Archive"),
        gettext_lazy("What is spent leaves the active set, and can be brought back."),
    ),
    REPORT: (gettext_lazy("Report"), gettext_lazy("How much is told about what was left alone.")),
}
NEVER = gettext_lazy("never")
FOUR_EYES = {True: "true", False: "false"}


@dataclass(frozen=True, slots=True)
class Group:
    """The fields of one part of a policy."""

    name: str
    title: str
    text: str
    fields: list[forms.BoundField]


class PolicyForm(forms.Form):
    """Every value of a policy."""

    use_required_attribute = False

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)
        for setting in SETTINGS:
            self.fields[setting.name] = _choice(setting)
        for rule in (LIFETIME, *RULES):
            self.fields[rule.name] = _number(rule)

    def groups(self) -> Iterator[Group]:
        """The parts in canonical order."""
        for name, (title, text) in GROUPS.items():
            rules = [rule.name for rule in (LIFETIME, *RULES) if rule.group == name]
            names = [*(setting.name for setting in SETTINGS), *rules] if name == LIFETIME.group else rules
            yield Group(name, str(title), str(text), [self[one] for one in names])

    def show(self, refusal: Invalid) -> None:
        """Put each problem beside its field."""
        for problem in refusal.problems:
            name = problem.loc[-1]
            self.add_error(name if name in self.fields else None, problem.told)


def _choice(setting: Setting) -> forms.Field:
    choices = [(value, translation.gettext(words)) for value, words in setting.words.items()]
    return Choice(label=translation.gettext(setting.label), choices=choices, widget=forms.RadioSelect)


def _number(rule: Rule) -> forms.Field:
    unit = translation.gettext(rule.unit)
    words = _("%(unit)s, %(least)s to %(most)s. %(help)s") % {
        "unit": f"{unit[0].upper()}{unit[1:]}",
        "least": f"{rule.least:,g}",
        "most": f"{rule.most:,g}",
        "help": translation.gettext(rule.help),
    }
    mode = "numeric" if rule.whole else "decimal"
    widget = forms.TextInput(attrs={"autocomplete": "off", "inputmode": mode})
    return Text(label=translation.gettext(rule.label), required=not rule.optional, help_text=words, widget=widget)


def given(data: QueryDict) -> dict[str, str]:
    """The values that came with a request, as the service takes them."""
    return {name: data.get(name, "").strip() for name in policies.NAMES if name in data}


def entered(policy: ReflectionPolicy) -> dict[str, str]:
    """The values of a policy as they are typed."""
    return {name: typed(value) for name, value in policies.flat(policy).items()}


def typed(value: Any) -> str:
    """One value as it is typed into the form."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return FOUR_EYES[value]
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def query(values: Mapping[str, Any]) -> str:
    """An address that holds these values."""
    return f"?{urlencode(values)}"


def _label(of: Rule | Setting) -> str:
    return translation.gettext(of.label)


def in_words(name: str, value: Any) -> str:
    """A value as a person reads it."""
    if name in policies.BY_NAME:
        return translation.gettext(policies.BY_NAME[name].words[typed(value)])
    return str(NEVER) if value is None else f"{value:,.9g}" if isinstance(value, float) else f"{value:,}"


def told(changed: list[Changed]) -> list[dict[str, str]]:
    """What differs, ready to be shown."""
    return [
        {
            "name": one.name,
            "label": translation.gettext(one.label),
            "unit": translation.gettext(one.unit) if one.unit else "",
            "before": in_words(one.name, one.before),
            "after": in_words(one.name, one.after),
        }
        for one in changed
    ]


def listed(policy: ReflectionPolicy) -> list[dict[str, Any]]:
    """Every value by groups, to be read."""
    values = policies.flat(policy)
    found = []
    for name, (title, text) in GROUPS.items():
        rules = [rule for rule in (LIFETIME, *RULES) if rule.group == name]
        lines = [(_label(setting), in_words(setting.name, values[setting.name]), "") for setting in SETTINGS]
        numbers = [
            (_label(rule), in_words(rule.name, values[rule.name]), translation.gettext(rule.unit)) for rule in rules
        ]
        shown = [*lines, *numbers] if name == LIFETIME.group else numbers
        found.append({"name": name, "title": title, "text": text, "lines": shown})
    return found
