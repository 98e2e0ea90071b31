-- When the sign-in proved the password; null for sign-ins by a provider, a key or another sign-in.
alter table web_session add column password_verified timestamptz;
