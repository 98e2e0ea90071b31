-- What the source said about a password that it still accepts: when it expires, and the number of
-- sign-ins that are left after its expiry. Each sign-in with the password replaces both.
alter table source_proof
  add column date_password_expired timestamptz,
  add column sign_ins_left integer;
