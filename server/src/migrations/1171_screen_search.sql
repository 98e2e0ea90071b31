-- Search over the text that recorded sessions showed. A job fills both tables as sessions end.
create table screen_index (
  session uuid primary key references session (id) on delete cascade,
  date_indexed timestamptz not null default now(),
  lines integer not null default 0,
  -- False if a limit of work or size cut the text off.
  is_whole boolean not null default true,
  -- True if the recording is encrypted.
  is_sealed boolean not null default false,
  -- `away`: tried again later. `sealed`, `missing`, `unreadable`: not indexed.
  problem text not null default ''
);
create index screen_index_sealed on screen_index (session) where (is_sealed);
create table screen_text (
  session uuid not null references session (id) on delete cascade,
  number integer not null,
  date_start timestamptz not null,
  -- Lines as they were first visible, and the milliseconds of each.
  text text not null,
  moments integer[] not null,
  -- Runs of characters outside of ASCII. The trigram index ignores or splits them.
  wide text not null default '',
  primary key (session, number)
);
create index screen_text_lines on screen_text using gin (text gin_trgm_ops);
create index screen_text_wide on screen_text using gin (text_pairs(wide)) where (wide <> '');
create index screen_text_date on screen_text (date_start desc);
