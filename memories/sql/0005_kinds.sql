-- TODOs, ledger entries and decisions are found by words too; the same functions as for memories normalise them.
ALTER TABLE memories_todo
  ADD COLUMN folded text GENERATED ALWAYS AS (mc_fold(content || ' ' || note)) STORED NOT NULL,
  ADD COLUMN search tsvector GENERATED ALWAYS AS (mc_terms(content || ' ' || note)) STORED NOT NULL;
ALTER TABLE memories_ledgerentry
  ADD COLUMN folded text GENERATED ALWAYS AS (mc_fold(item || ' ' || note || ' ' || category)) STORED NOT NULL,
  ADD COLUMN search tsvector GENERATED ALWAYS AS (mc_terms(item || ' ' || note || ' ' || category)) STORED NOT NULL;
ALTER TABLE memories_decision
  ADD COLUMN folded text GENERATED ALWAYS AS (mc_fold(context || ' ' || resolution)) STORED NOT NULL,
  ADD COLUMN search tsvector GENERATED ALWAYS AS (mc_terms(context || ' ' || resolution)) STORED NOT NULL;

CREATE INDEX todo_words ON memories_todo USING gin (space_id, search);
CREATE INDEX ledger_words ON memories_ledgerentry USING gin (space_id, search);
CREATE INDEX decision_words ON memories_decision USING gin (space_id, search);

ALTER TABLE memories_todo ALTER COLUMN folded SET STATISTICS 0, ALTER COLUMN search SET STATISTICS 0;
ALTER TABLE memories_ledgerentry ALTER COLUMN folded SET STATISTICS 0, ALTER COLUMN search SET STATISTICS 0,
  ALTER COLUMN category SET STATISTICS 0;
ALTER TABLE memories_decision ALTER COLUMN folded SET STATISTICS 0, ALTER COLUMN search SET STATISTICS 0,
  ALTER COLUMN context SET STATISTICS 0, ALTER COLUMN options SET STATISTICS 0, ALTER COLUMN resolution SET STATISTICS 0;
ALTER TABLE memories_snapshot ALTER COLUMN state SET STATISTICS 0, ALTER COLUMN label SET STATISTICS 0;
ALTER TABLE memories_memoryuse ALTER COLUMN context SET STATISTICS 0, ALTER COLUMN metadata SET STATISTICS 0;
