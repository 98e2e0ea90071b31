-- Keys are found by a part of their id. The secret is sealed and told once, so it cannot be searched.
alter table access_key add column search_text text generated always as (id::text) stored;
