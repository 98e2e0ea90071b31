-- Sessions that people worked in and that have no recording: few, and asked for whenever somebody opens the dashboard.
create index session_unrecorded on session (date_start desc) where is_finished and is_success and replay_state in ('none', 'failed');
