-- Several kinds of providers answer for people. One and the same address may answer as two kinds, and means different people by the same name then.
alter table external_identity add column source text not null default 'openid';
alter table external_identity alter column source drop default;
alter table external_identity drop constraint external_identity_pkey;
alter table external_identity add primary key (source, issuer, subject);
alter table external_identity drop constraint external_identity_user_id_issuer_key;
alter table external_identity add unique (user_id, source, issuer);

-- The sign-in at a provider that a session follows from: the provider ends it by this.
alter table web_session add column origin jsonb;
alter table pending_sign_in add column origin jsonb;
create index web_session_origin on web_session using gin (origin jsonb_path_ops) where origin is not null;
create index pending_sign_in_origin on pending_sign_in using gin (origin jsonb_path_ops) where origin is not null;
