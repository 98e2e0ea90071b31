-- Facts of a ticket that the server created, for pages in the language of each reader. Null for
-- tickets of users and of earlier versions, whose body says the same.
alter table ticket add column facts jsonb;
