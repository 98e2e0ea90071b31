-- A rule with a condition applies only while the condition holds.
alter table command_filter_rule add column condition_id uuid references condition (id);
create index command_filter_rule_condition on command_filter_rule (condition_id)
  where (condition_id is not null);

-- Servers cache rules with the parts of their conditions.
create trigger command_filters_changed after update on condition for each statement
  execute function command_filters_changed();
create trigger command_filters_changed after insert or delete or update on condition_networks
  for each statement execute function command_filters_changed();
create trigger command_filters_changed after update on network for each statement
  execute function command_filters_changed();
