-- Removes the sealed values of a place, or their rows. Returns their number.
create function forget_sealed(tbl text, field text, json_column text, removes_rows boolean)
  returns bigint language plpgsql as $$
declare
  amount bigint;
begin
  perform set_config('sallyport.resealing', 'on', true);
  execute case when removes_rows then format('delete from %I t', tbl)
      else format('update %I t set %I = null', tbl, coalesce(json_column, field)) end
    || format(' where %s ~ ''^v[12]\$[^$]+\$''', sealed_expression(field, json_column));
  get diagnostics amount = row_count;
  return amount;
end $$;
