-- An alert for a code or refresh token of an agent that was used twice.
alter table alert
  drop constraint alert_kind_check,
  add constraint alert_kind_check check (kind in ('new_network', 'new_country', 'unusual_hour',
    'first_use', 'many_denials', 'recovered', 'lost_changes', 'reused_token'));
alter table notification drop constraint notification_kind_check,
  add constraint notification_kind_check check (kind in ('ticket_asked', 'ticket_approved',
    'ticket_rejected', 'ticket_closed', 'emergency_opened', 'emergency_ended',
    'second_person_asked', 'change_proposed', 'change_applied', 'change_rejected',
    'change_emergency', 'access_ends', 'access_ended', 'job_failed', 'own_new_network',
    'alert_new_network', 'alert_new_country', 'alert_unusual_hour', 'alert_first_use',
    'alert_many_denials', 'alert_recovered', 'alert_lost_changes', 'alert_reused_token'));
