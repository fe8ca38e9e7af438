"""Dates in Japanese."""

DATE_FORMAT = "Y年n月j日"
DATETIME_FORMAT = "Y年n月j日 H:i T"
MONTH_DAY_FORMAT = "n月j日"
YEAR_MONTH_FORMAT = "Y年n月"
TIME_FORMAT = "H:i"
SHORT_DATE_FORMAT = "Y/m/d"
SHORT_DATETIME_FORMAT = "Y/m/d H:i"
