"""Dates in Korean."""

DATE_FORMAT = "Y년 n월 j일"
DATETIME_FORMAT = "Y년 n월 j일 H:i T"
MONTH_DAY_FORMAT = "n월 j일"
YEAR_MONTH_FORMAT = "Y년 n월"
TIME_FORMAT = "H:i"
SHORT_DATE_FORMAT = "Y.m.d"
SHORT_DATETIME_FORMAT = "Y.m.d H:i"
