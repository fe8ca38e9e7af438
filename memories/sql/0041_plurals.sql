-- mc_singular: Portuguese plurals in -ões as their singular in -ão, which the stemmer cannot see once accents are folded.
CREATE FUNCTION mc_singular(folded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(folded, 'oes\M', 'ao', 'g')
$$;

CREATE OR REPLACE FUNCTION mc_stems(language text, value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE left(language, 2)
    WHEN 'pt' THEN to_tsvector('pg_catalog.portuguese', mc_singular(mc_spaced(mc_fold(value))))
    WHEN 'es' THEN to_tsvector('pg_catalog.spanish', mc_spaced(mc_fold(value)))
    ELSE to_tsvector('pg_catalog.english', mc_spaced(mc_fold(value)))
  END
$$;

-- The generated column is computed again for the rows that it concerns.
UPDATE memories_memory SET language = language WHERE left(language, 2) = 'pt';
