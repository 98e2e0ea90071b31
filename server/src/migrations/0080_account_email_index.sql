-- Every account that is written is compared with the addresses of all others, in any case.
create index account_email on account (lower(email));
