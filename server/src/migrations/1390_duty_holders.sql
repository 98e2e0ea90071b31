-- Holders of a duty prove a second factor and are local accounts, so that no other duty reaches
-- them through a directory, a provider or the mail server.
-- `external_duty`: the account held its duty before duties needed local accounts. Only this
-- migration sets it.
alter table account add column external_duty boolean not null default false;
update account set external_duty = true where duty <> '' and source <> 'local';
-- Holders without a factor set one up when they sign in next.
update account set mfa_level = 2 where duty <> '' and mfa_level <> 2;
alter table account
  add constraint account_duty_factor check (duty = '' or mfa_level = 2),
  add constraint account_duty_local check (duty = '' or source = 'local' or external_duty);

-- The exception ends with the duty or the source that it was made for.
create function keep_external_duty() returns trigger language plpgsql as $$
begin
  new.external_duty := old.external_duty and new.duty = old.duty and new.source = old.source;
  return new;
end $$;
create trigger external_duty before update of duty, source, external_duty on account
  for each row execute function keep_external_duty();
