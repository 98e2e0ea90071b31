-- Sessions in the order of each column that people sort by; without these, one page sorts all of them.
create index session_by_user on session (org_id, "user", id);
create index session_by_asset on session (org_id, asset, id);
create index session_by_system_user on session (org_id, "system_user", id);
create index session_by_end on session (org_id, date_end, id);

-- Whether a search is quicker by the trigrams or by walking the list depends on how many rows it finds: that must be guessed well.
alter table session alter column search_text set statistics 1000;
alter table command alter column search_text set statistics 1000;
alter table asset alter column search_text set statistics 1000;
