-- Receivers that read lines take the byte count of a frame for a part of the message.
alter table event_receiver add column framing text not null default 'octets'
  check (framing in ('octets', 'newline'));
