-- The formula by which a session was digested. Null: the row is older than this column and follows version 1 or 2.
alter table session_digest add column version smallint;

-- The chain covers every column. A column that did not exist when a row was chained counts only where it has a value, so the digests of older rows stay valid.
create or replace function audit_text(line jsonb) returns text language sql immutable set timezone = 'UTC' as $$
  select (case when line ->> 'version' is null then line - 'version' - 'digest' - 'search_text' else line - 'digest' - 'search_text' end)::text
$$;
