"""Dates in Brazilian Portuguese."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i T"
MONTH_DAY_FORMAT = r"j \d\e F"
YEAR_MONTH_FORMAT = r"F \d\e Y"
TIME_FORMAT = "H:i"
SHORT_DATE_FORMAT = "j M Y"
SHORT_DATETIME_FORMAT = "j M Y, H:i"
