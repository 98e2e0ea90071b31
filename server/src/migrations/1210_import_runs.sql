-- Imports by the operator command that can be undone for a day.
create table import_run (
  id uuid primary key default gen_random_uuid(),
  source text not null,
  date_applied timestamptz not null default now()
);

-- Objects of an import in the order of their writes, with the number of references to each at its
-- end. Objects that it created have no values before it.
create table import_run_object (
  run_id uuid not null references import_run (id) on delete cascade,
  position integer not null,
  kind text not null,
  object_id uuid not null,
  org_id text not null,
  name text not null,
  before jsonb,
  uses integer not null,
  primary key (run_id, position)
);
