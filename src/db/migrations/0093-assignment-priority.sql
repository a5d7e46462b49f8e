alter table assignments add column priority integer;
alter table assignments add constraint assignments_priority check (priority >= 1 and priority <= 4);
