-- A source may accept a password that expires soon, or has expired and allows some more sign-ins.
-- Each sign-in with the password replaces both columns.
alter table source_proof
  add column date_password_expired timestamptz,
  add column sign_ins_left integer;
