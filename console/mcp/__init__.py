"""The bridge for agents: tools of the Model Context Protocol over the verbs of pages and API. No rule is here."""
