alter table saved_views add column address text;
alter table saved_views add constraint saved_views_address check (char_length(address) <= 2000);
alter table project_views add column address text;
alter table project_views add constraint project_views_address check (char_length(address) <= 2000);
