-- One place where text is normalised, for storing and for asking alike.
-- mc_fold: compatibility forms (full-width letters, ligatures), accents and case folded, white space collapsed.
CREATE FUNCTION mc_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT btrim(regexp_replace(
    lower(public.unaccent('public.unaccent'::regdictionary, normalize(lower(normalize(value, NFKC)), NFKC))),
    '\s+', ' ', 'g'))
$$;

-- mc_spaced: folded text in which each run of Chinese, Japanese or Korean characters becomes its overlapping pairs
-- and its last character, so that words of one or two characters are found by prefix.
CREATE FUNCTION mc_spaced(folded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN folded !~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]' THEN folded ELSE (
    SELECT string_agg(CASE WHEN NOT cjk THEN letter WHEN next_cjk THEN ' ' || letter || next || ' ' ELSE ' ' || letter || ' ' END,
                      '' ORDER BY place)
    FROM (
      SELECT letter, place, cjk, lead(letter) OVER reading AS next, lead(cjk, 1, false) OVER reading AS next_cjk
      FROM (
        SELECT letter, place, letter ~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]' AS cjk
        FROM string_to_table(folded, NULL) WITH ORDINALITY AS letters (letter, place)
      ) AS letters
      WINDOW reading AS (ORDER BY place)
    ) AS pairs
  ) END
$$;

-- mc_terms: the words of a text with their positions, in no language in particular.
CREATE FUNCTION mc_terms(value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT to_tsvector('pg_catalog.simple', mc_spaced(mc_fold(value)))
$$;
