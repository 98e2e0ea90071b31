-- Finds the imported password hashes that still wait for a sign-in of their owner.
create index account_imported_password on account (id) where password like 'pbkdf2\_sha256$%';
