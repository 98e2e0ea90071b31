-- Keys of devices that are signed in. Each opens one SSH connection within a minute.
create table device_ssh_key (
  -- SHA-256 of the public key. The private key stays in the memory of the device.
  digest bytea primary key,
  session_id uuid not null references web_session (id) on delete cascade,
  -- The address of the device. The connection must come from the same one.
  remote_addr text not null,
  date_expired timestamptz not null
);
create index device_ssh_key_session on device_ssh_key (session_id);
