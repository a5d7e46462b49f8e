-- The dates and the responsible account of such an assignment are placeholders.
alter table assignments add column is_unscheduled boolean not null default false;
alter table assignments add column is_unassigned boolean not null default false;
