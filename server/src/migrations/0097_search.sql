-- The names of objects by pinyin, for those with Chinese characters only. Triggers keep them, whichever statement writes the name.
create function name_pinyin() returns trigger language plpgsql as $$
declare
  name text := to_jsonb(new) ->> tg_argv[0];
begin
  new.pinyin := case when name ~ '[一-鿿]' then pinyin_words(name) end;
  return new;
end $$;

alter table account add column pinyin text;
create trigger account_pinyin before insert or update of name on account for each row
  when (new.name ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('name');
update account set pinyin = pinyin_words(name) where name ~ '[一-鿿]';
create index account_pinyin on account using gin (pinyin gin_trgm_ops) where pinyin is not null;

alter table user_group add column pinyin text;
create trigger user_group_pinyin before insert or update of name on user_group for each row
  when (new.name ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('name');
update user_group set pinyin = pinyin_words(name) where name ~ '[一-鿿]';
create index user_group_pinyin on user_group using gin (pinyin gin_trgm_ops) where pinyin is not null;

alter table asset add column pinyin text;
create trigger asset_pinyin before insert or update of hostname on asset for each row
  when (new.hostname ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('hostname');
update asset set pinyin = pinyin_words(hostname) where hostname ~ '[一-鿿]';
create index asset_pinyin on asset using gin (pinyin gin_trgm_ops) where pinyin is not null;

alter table node add column pinyin text;
create trigger node_pinyin before insert or update of value on node for each row
  when (new.value ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('value');
update node set pinyin = pinyin_words(value) where value ~ '[一-鿿]';
create index node_pinyin on node using gin (pinyin gin_trgm_ops) where pinyin is not null;

alter table asset_permission add column pinyin text;
create trigger asset_permission_pinyin before insert or update of name on asset_permission for each row
  when (new.name ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('name');
update asset_permission set pinyin = pinyin_words(name) where name ~ '[一-鿿]';
create index asset_permission_pinyin on asset_permission using gin (pinyin gin_trgm_ops) where pinyin is not null;

alter table system_account add column pinyin text;
create trigger system_account_pinyin before insert or update of name on system_account for each row
  when (new.name ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('name');
update system_account set pinyin = pinyin_words(name) where name ~ '[一-鿿]';
create index system_account_pinyin on system_account using gin (pinyin gin_trgm_ops) where pinyin is not null;

alter table domain add column pinyin text;
create trigger domain_pinyin before insert or update of name on domain for each row
  when (new.name ~ '[一-鿿]' or new.pinyin is not null) execute function name_pinyin('name');
update domain set pinyin = pinyin_words(name) where name ~ '[一-鿿]';
create index domain_pinyin on domain using gin (pinyin gin_trgm_ops) where pinyin is not null;

-- Host names by their beginning: those of a hundred thousand assets come first in a search without a look at the others.
create index asset_prefix on asset (org_id, lower(hostname) text_pattern_ops);

-- What a user opened from the search, so that it is found first the next time. A few hundred for each user.
create table search_use (
  user_id uuid not null references account (id) on delete cascade,
  kind text not null,
  object_id uuid not null,
  times integer not null default 1,
  date_last timestamptz not null default now(),
  primary key (user_id, kind, object_id)
);
