-- Administrators hear of change sets that wait for them, and proposers of decisions.
alter table notification drop constraint notification_kind_check,
  add constraint notification_kind_check check (kind in ('ticket_asked', 'ticket_approved',
    'ticket_rejected', 'ticket_closed', 'emergency_opened', 'emergency_ended',
    'second_person_asked', 'change_proposed', 'change_applied', 'change_rejected', 'access_ends',
    'access_ended', 'job_failed'));
