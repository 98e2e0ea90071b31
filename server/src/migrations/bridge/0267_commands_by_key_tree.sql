-- A command that the key tree of the query workspace ran, and not the person. Who looks at the log sees it; the person's own history leaves it out.
alter table command add column is_by_key_tree boolean not null default false;
