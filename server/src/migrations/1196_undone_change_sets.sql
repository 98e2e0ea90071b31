-- Objects of the changes in order, once they are applied: an undo deletes those that were created.
alter table change_set add column objects uuid[] not null default '{}';
