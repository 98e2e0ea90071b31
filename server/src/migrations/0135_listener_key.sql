-- The keys by which our SSH listener proves itself to clients, one of each type, shared by all servers.
create table listener_key (
  type text primary key,
  -- Sealed by the vault for this row.
  private_key text not null,
  public_key text not null,
  date_created timestamptz not null default now()
);
