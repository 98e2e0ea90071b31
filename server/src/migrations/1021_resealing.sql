-- A rotation of keys seals the same secrets again. In such a transaction an account keeps its
-- previous secrets and the date of the change, and nothing is pushed to assets.
create function is_resealing() returns boolean language sql stable as $$
  select current_setting('sallyport.resealing', true) = 'on'
$$;

create or replace function keep_previous_secrets() returns trigger language plpgsql as $$
begin
  if is_resealing() then
    return new;
  end if;
  if (old.password, old.private_key, old.public_key) is distinct from (new.password, new.private_key, new.public_key) then
    new.date_secret_changed := now();
    new.previous_secrets := case when coalesce(old.password, old.private_key) is not null then
      jsonb_build_object('password', old.password, 'private_key', old.private_key, 'public_key', old.public_key) end;
  end if;
  return new;
end
$$;

create or replace function push_of_system_user() returns trigger language plpgsql as $$
begin
  if is_resealing() then
    return null;
  end if;
  insert into system_user_push_wanted (system_user_id) values (new.id)
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;

-- SQL of a sealed value: a column, a field of a JSON column, or a whole JSON column.
create function sealed_expression(field text, json_column text) returns text
  language sql immutable as $$
  select case when json_column is null then format('t.%I', field)
    when json_column = field then format('(t.%I #>> ''{}'')', field)
    else format('(t.%I ->> %L)', json_column, field) end
$$;

-- Numbers of sealed values by the id of their data key.
create function count_sealed(tbl text, field text, json_column text)
  returns table (id text, amount bigint) language plpgsql stable as $$
declare
  sealed text := sealed_expression(field, json_column);
begin
  return query execute format($q$
    select case when %1$s like 'v1$%%' then 'v1' else split_part(%1$s, '$', 2) end, count(*)
      from %2$I t where %1$s ~ '^v[12]\$[^$]+\$' group by 1 $q$, sealed, tbl);
end $$;

-- Sealed values without a prefix, in the order of their keys.
create function sealed_values(tbl text, key_column text, field text, json_column text,
  prefix text, after text, amount integer) returns table (key text, value text)
  language plpgsql stable as $$
declare
  sealed text := sealed_expression(field, json_column);
begin
  return query execute format($q$
    select t.%1$I::text, %2$s from %3$I t
      where %2$s ~ '^v[12]\$[^$]+\$' and not starts_with(%2$s, $1) %4$s
      order by t.%1$I limit $2 $q$, key_column, sealed, tbl,
    case when after is not null then format('and t.%I > %L', key_column, after) end)
    using prefix, amount;
end $$;

-- Replaces sealed values that are still the ones that were read. Returns their number.
create function reseal(tbl text, key_column text, field text, json_column text, keys text[],
  before text[], sealed text[]) returns bigint language plpgsql as $$
declare
  changed bigint := 0;
  done bigint;
begin
  perform set_config('sallyport.resealing', 'on', true);
  for i in 1 .. cardinality(keys) loop
    execute format('update %1$I t set %2$I = %3$s where t.%4$I = %5$L and %6$s = $1', tbl,
      coalesce(json_column, field),
      case when json_column is null then '$2' when json_column = field then 'to_jsonb($2)'
        else format('jsonb_set(t.%I, array[%L], to_jsonb($2))', json_column, field) end,
      key_column, keys[i], sealed_expression(field, json_column)) using before[i], sealed[i];
    get diagnostics done = row_count;
    changed := changed + done;
  end loop;
  return changed;
end $$;
