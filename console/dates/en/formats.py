"""Dates as the console writes them in English: the day first, the month as a word."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i T"
MONTH_DAY_FORMAT = "j F"
YEAR_MONTH_FORMAT = "F Y"
TIME_FORMAT = "H:i"
SHORT_DATE_FORMAT = "j M Y"
SHORT_DATETIME_FORMAT = "j M Y, H:i"
