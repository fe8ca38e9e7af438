"""The verbs of a pass: plan, approve, reject, apply, roll back, sign off, and the sweep that wakes what is due."""
