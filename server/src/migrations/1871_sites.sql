-- Gateways that reach out to this bastion: the key of each machine, and its open tunnels.
create table site_identity (
  gateway_id uuid primary key references gateway (id) on delete cascade,
  -- SHA-256 of the install key, until a machine has joined with it.
  install_key bytea unique,
  install_key_expires timestamptz,
  public_key text,
  date_joined timestamptz
);

create table site_tunnel (
  id uuid primary key,
  gateway_id uuid not null references gateway (id) on delete cascade,
  -- The process that holds the connection.
  holder text not null,
  remote_addr text not null,
  software text not null,
  date_connected timestamptz not null default now(),
  date_seen timestamptz not null default now()
);
create index site_tunnel_gateway on site_tunnel (gateway_id);
create index site_tunnel_holder on site_tunnel (holder);

-- Nothing connects to the address of a site.
alter table gateway alter column ip set default '';
