-- The nodes that an import made for its rows, in the order in which they were made: undoing it removes those that are empty then.
alter table imported_rows add column nodes uuid[] not null default '{}';
