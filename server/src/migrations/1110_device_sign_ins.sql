-- Sign-ins that a program on another device asked for and that its user confirms in the console
-- (RFC 8628). Only the digest of the secret of the device is kept.
create table device_sign_in (
  device_digest bytea primary key,
  -- What the user compares and types; without separators.
  user_code text not null unique,
  device text not null,
  -- Username that the device expects; empty: any.
  expected_user text not null default '',
  remote_addr text not null,
  -- The address or network under which requests are counted.
  place text not null,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  date_polled timestamptz,
  is_denied boolean not null default false,
  -- Sign-in that confirmed it. If that ends first, so does this.
  confirmed_by uuid references web_session (id) on delete cascade,
  -- Days that the sign-in of the device lasts.
  days integer
);
create index device_sign_in_place on device_sign_in (place, date_created);
create index device_sign_in_expired on device_sign_in (date_expired);
create index device_sign_in_confirmed on device_sign_in (confirmed_by);
