-- Appending to a chain in one statement instead of two: the row that is locked is the row that is changed.
create or replace function audit_append() returns trigger language plpgsql set timezone = 'UTC' as $$
begin
  update audit_chain head set
    sequence = head.sequence + 1,
    digest = sha256(head.digest || convert_to(audit_text(jsonb_set(to_jsonb(new), '{sequence}', to_jsonb(head.sequence + 1))), 'UTF8'))
  where head.log = tg_table_name
  returning head.sequence, head.digest into strict new.sequence, new.digest;
  return new;
end $$;
