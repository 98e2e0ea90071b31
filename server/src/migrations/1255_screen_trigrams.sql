-- The trigrams of the text as an array: a row that has all trigrams of a phrase is a candidate before
-- its text is read, so that a search compares the newest candidates only.
drop index screen_text_lines;
create index screen_text_trigrams on screen_text using gin (show_trgm(text));
