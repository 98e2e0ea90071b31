-- Applications that people mark as favorites, as they do with assets.
create table favorite_remote_app (
  user_id uuid not null references account (id) on delete cascade,
  remote_app_id uuid not null references remote_app (id) on delete cascade,
  date_created timestamptz not null default now(),
  primary key (user_id, remote_app_id)
);
create index favorite_remote_app_app on favorite_remote_app (remote_app_id);
create table favorite_database_app (
  user_id uuid not null references account (id) on delete cascade,
  database_app_id uuid not null references database_app (id) on delete cascade,
  date_created timestamptz not null default now(),
  primary key (user_id, database_app_id)
);
create index favorite_database_app_app on favorite_database_app (database_app_id);

-- The search over everything finds them by pinyin, too.
alter table remote_app add column pinyin text;
create trigger remote_app_pinyin before insert or update of name on remote_app for each row
  when (new.name ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('name');
update remote_app set pinyin = pinyin_words(name) where name ~ '[一-鿿]';
create index remote_app_pinyin on remote_app using gin (pinyin gin_trgm_ops) where pinyin is not null;

alter table database_app add column pinyin text;
create trigger database_app_pinyin before insert or update of name on database_app for each row
  when (new.name ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('name');
update database_app set pinyin = pinyin_words(name) where name ~ '[一-鿿]';
create index database_app_pinyin on database_app using gin (pinyin gin_trgm_ops) where pinyin is not null;
