-- Reviewers hear of sessions that wait for a second person.
alter table notification drop constraint notification_kind_check,
  add constraint notification_kind_check check (kind in ('ticket_asked', 'ticket_approved',
    'ticket_rejected', 'ticket_closed', 'emergency_opened', 'emergency_ended',
    'second_person_asked', 'access_ends', 'access_ended', 'job_failed'));
