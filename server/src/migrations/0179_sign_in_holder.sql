-- Which server holds the connection of a sign-in over SSH; null for others. A server that starts ends those it held before a crash.
alter table web_session add column holder text;
