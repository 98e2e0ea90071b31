-- Whether an account of an asset was accepted when it was last tried there, and why not. One row for each username, whatever kind of account it belongs to.
create table account_connectivity (
  asset_id uuid not null references asset (id) on delete cascade,
  username text not null,
  status smallint not null check (status in (0, 1)),
  reason jsonb,
  date timestamptz not null,
  primary key (asset_id, username)
);
