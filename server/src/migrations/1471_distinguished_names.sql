-- A distinguished name in one form (RFC 4514): servers and administrators write blanks and escapes
-- differently. Escaped separators stay apart from real ones by a control character. A name that is
-- not well-formed is only folded to lower case.
create function folded_dn(dn text) returns text immutable parallel safe language plpgsql as $$
declare
  folded text := '';
  part text;
begin
  for part in
    select m.token[1]
    from regexp_matches(dn, '((?:\\[0-9a-fA-F]{2})+|\\.|[^\\]+)', 'gs')
      with ordinality m (token, place)
    order by m.place
  loop
    if part ~ '^\\[0-9a-fA-F]{2}' then
      part := convert_from(decode(replace(part, '\', ''), 'hex'), 'UTF8');
      part := regexp_replace(part, '([,+\\])', E'\x01\\1\x01', 'g');
      part := translate(part, ',+', E'\x02\x03');
    elsif left(part, 1) = '\' then
      part := substr(part, 2);
      if part in (',', '+', '\') then
        part := E'\x01' || translate(part, ',+', E'\x02\x03') || E'\x01';
      end if;
    end if;
    folded := folded || part;
  end loop;
  folded := regexp_replace(lower(folded), ' +', ' ', 'g');
  folded := regexp_replace(folded, ' ?([,+]) ?', '\1', 'g');
  folded := regexp_replace(folded, '(^|[,+])([^=,+]*?) ?= ?', '\1\2=', 'g');
  return btrim(folded);
exception when others then
  return lower(dn);
end $$;
