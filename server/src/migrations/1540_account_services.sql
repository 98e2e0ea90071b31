-- The last sign-in test of an account also tells what the server offers to it after the sign-in.
-- Null where the test did not get that far, and for tests of earlier versions.
alter table account_connectivity
  add column signed_in boolean,
  add column runs_commands boolean,
  add column serves_files boolean;
