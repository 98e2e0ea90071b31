-- A search uses trigrams within words only, so the index has no others.
create function text_trigrams(searched text)
  returns text[] language sql immutable parallel safe strict
  return array(select t from unnest(show_trgm(searched)) t where t !~ ' ');
drop index screen_text_trigrams;
drop index screen_text_wide;
-- No query reads it.
drop index screen_text_date;
-- The text is stored outside of the rows: they stay narrow, so that reading candidates and the lists
-- of the indexes take less. The second statement writes the rows of earlier versions again.
alter table screen_text set (toast_tuple_target = 128);
alter table screen_text alter column text type text using text || '';
create index screen_text_trigrams on screen_text using gin (text_trigrams(text));
create index screen_text_wide on screen_text using gin (text_pairs(wide)) where (wide <> '');
