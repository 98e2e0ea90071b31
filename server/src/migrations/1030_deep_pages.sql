-- With the id in the index, a page far down the list by IP is found without the table.
drop index asset_ip;
create index asset_ip on asset (org_id, ip, id);
