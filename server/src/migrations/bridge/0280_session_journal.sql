-- How far the journals of the servers were written into this database: the position and what was written change in one transaction.
create table session_journal (
  segment text primary key,
  holder text not null,
  position bigint not null
);
