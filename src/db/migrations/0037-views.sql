-- Queries that are kept: of one account, or shared with the members of a project.
create table saved_views (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  list text not null check (char_length(list) <= 64),
  filter text check (char_length(filter) <= 2000),
  sort text check (char_length(sort) <= 2000),
  fields text check (char_length(fields) <= 2000),
  expand text check (char_length(expand) <= 2000),
  user_id uuid not null references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create index saved_views_user on saved_views (user_id, id) where active;
create index saved_views_live on saved_views (id) where active;
create index saved_views_removed on saved_views (deleted_at desc, id) where not active;
create index saved_views_removed_with on saved_views (removed_with) where removed_with is not null;

create table project_views (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  list text not null check (char_length(list) <= 64),
  filter text check (char_length(filter) <= 2000),
  sort text check (char_length(sort) <= 2000),
  fields text check (char_length(fields) <= 2000),
  expand text check (char_length(expand) <= 2000),
  project_id uuid not null references projects,
  user_id uuid not null references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create index project_views_project on project_views (project_id, id) where active;
create index project_views_user on project_views (user_id, id) where active;
create index project_views_live on project_views (id) where active;
create index project_views_removed on project_views (deleted_at desc, id) where not active;
create index project_views_removed_with on project_views (removed_with) where removed_with is not null;

-- As for the other texts: without the extension, a search reads every row.
do $$
begin
  create index saved_views_name_search on saved_views using gin (name gin_trgm_ops) where active;
  create index project_views_name_search on project_views using gin (name gin_trgm_ops) where active;
exception when undefined_object then
  raise notice 'pg_trgm is not available: search reads every row.';
end $$;
