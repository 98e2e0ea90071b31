-- Rules that warn (4) show a sentence; rules that confirm (3) ask the user to type a word.
alter table command_filter_rule
  drop constraint command_filter_rule_action_check,
  add constraint command_filter_rule_action_check check (action in (0, 1, 3, 4)),
  add column message text not null default '',
  add column word text not null default '';
-- The answer of the user to a question before a command or statement.
alter table command add column verdict text not null default 'none';
