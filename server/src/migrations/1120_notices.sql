-- Version of the text before sign-in that the user accepted last; blank: none.
alter table account add column accepted_notice text not null default '';
