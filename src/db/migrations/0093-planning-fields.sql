alter table assignments add column priority integer;
alter table assignments add constraint assignments_priority check (priority >= 1 and priority <= 4);

alter table workflows add column is_done boolean not null default false;

alter table projects add column description text;
alter table projects add constraint projects_description check (char_length(description) <= 2000);
alter table projects add column is_archived boolean not null default false;

do $$
begin
  create index projects_description_search on projects using gin (description gin_trgm_ops) where active;
exception when undefined_object then
  raise notice 'pg_trgm is not available: search reads every row.';
end $$;
