-- One place where text is normalised, for storing and for asking alike.
-- mc_fold: compatibility forms (full-width letters, ligatures), accents and case folded, white space collapsed.
CREATE FUNCTION mc_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT btrim(regexp_replace(
    lower(public.unaccent('public.unaccent'::regdictionary, normalize(lower(normalize(value, NFKC)), NFKC))),
    '\s+', ' ', 'g'))
$$;

-- mc_spaced: folded text as words parted by spaces. Whatever is no letter or digit parts words, so that every reader
-- cuts `a/b`, `a-b` and `a.b` alike. Each run of Chinese, Japanese or Korean characters becomes its overlapping pairs
-- and its last character, so that words of one or two characters are found by prefix.
CREATE FUNCTION mc_spaced(folded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN plain !~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]' THEN plain ELSE (
    SELECT string_agg(
      CASE
        WHEN NOT cjk THEN letter
        WHEN next_cjk THEN ' ' || letter || next_letter || ' '
        ELSE ' ' || letter || ' '
      END, '' ORDER BY place)
    FROM (
      SELECT letter, place, cjk, lead(cjk) OVER reading AS next_cjk, lead(letter) OVER reading AS next_letter
      FROM (
        SELECT letter, place, letter ~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]' AS cjk
        FROM string_to_table(plain, NULL) WITH ORDINALITY AS letters (letter, place)
      ) AS letters
      WINDOW reading AS (ORDER BY place)
    ) AS pairs
  ) END
  FROM (SELECT regexp_replace(folded, '[^[:alnum:]]+', ' ', 'g') AS plain) AS words
$$;

-- mc_terms: the words of a text with their positions, in no language in particular.
CREATE FUNCTION mc_terms(value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT to_tsvector('pg_catalog.simple', mc_spaced(mc_fold(value)))
$$;
