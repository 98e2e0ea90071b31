-- Many entries of one statement, such as those of an import, move the head of their chain once: moved for each of them it grew a version a row, and every move
-- walked past all of them. The place within the statement is kept in a setting of the transaction.
create function audit_begin() returns trigger language plpgsql as $$
declare
  head audit_chain;
begin
  -- Writers of one log wait here for each other; the entry is the last thing a change does, so the wait is short.
  select * into strict head from audit_chain where log = tg_table_name for update;
  perform set_config('sallyport.chain_' || tg_table_name, head.sequence || ':' || encode(head.digest, 'hex'), true);
  return null;
end $$;

create or replace function audit_append() returns trigger language plpgsql set timezone = 'UTC' as $$
declare
  place text := 'sallyport.chain_' || tg_table_name;
  state text := current_setting(place);
begin
  new.sequence = split_part(state, ':', 1)::bigint + 1;
  new.digest = sha256(decode(split_part(state, ':', 2), 'hex') || convert_to(audit_text(to_jsonb(new)), 'UTF8'));
  perform set_config(place, new.sequence || ':' || encode(new.digest, 'hex'), true);
  return new;
end $$;

create function audit_end() returns trigger language plpgsql as $$
declare
  state text := current_setting('sallyport.chain_' || tg_table_name);
begin
  update audit_chain set sequence = split_part(state, ':', 1)::bigint, digest = decode(split_part(state, ':', 2), 'hex') where log = tg_table_name;
  return null;
end $$;

create trigger append_begin before insert on operate_log for each statement execute function audit_begin();
create trigger append_begin before insert on login_log for each statement execute function audit_begin();
create trigger append_begin before insert on password_change_log for each statement execute function audit_begin();
create trigger append_end after insert on operate_log for each statement execute function audit_end();
create trigger append_end after insert on login_log for each statement execute function audit_end();
create trigger append_end after insert on password_change_log for each statement execute function audit_end();
