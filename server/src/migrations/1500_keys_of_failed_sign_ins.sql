-- Wrong passwords are counted under the name before an `@`, which several accounts may share. A
-- sign-in finds these accounts; the expression is `accountKeyOf` of the server.
create index account_key on account
  (regexp_replace(lower(username), '^(.[^@]*)@.*$', '\1'));
