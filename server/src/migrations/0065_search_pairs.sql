-- Trigrams cannot find two letters: such a search would read every asset. The pairs of neighbouring characters of a text find them by an index.
create function text_pairs(searched text) returns text[] language sql immutable strict parallel safe as $$
  select array(
    select distinct one || next from (
      select one, lead(one) over (order by place) as next from unnest(string_to_array(searched, null)) with ordinality as letter (one, place)
    ) as neighbours where next is not null)
$$;
create index asset_search_pairs on asset using gin (text_pairs(search_text));
