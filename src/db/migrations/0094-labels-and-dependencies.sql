create table labels (
  id uuid primary key,
  name text not null check (char_length(name) <= 50),
  color text not null check (color in ('gray', 'red', 'orange', 'amber', 'green', 'teal', 'cyan', 'blue', 'indigo', 'purple', 'pink', 'brown')),
  description text check (char_length(description) <= 500),
  project_id uuid not null references projects,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create unique index labels_name_active on labels (project_id, lower(name)) where active;
create index labels_live on labels (id) where active;
create index labels_project on labels (project_id, active, id);
create index labels_removed on labels (deleted_at desc, id) where not active;
create index labels_removed_with on labels (removed_with) where removed_with is not null;

do $$
begin
  create index labels_name_search on labels using gin (name gin_trgm_ops) where active;
  create index labels_description_search on labels using gin (description gin_trgm_ops) where active;
exception when undefined_object then
  raise notice 'pg_trgm is not available: search reads every row.';
end $$;

-- A sharded store has them on every node, because rows of assignments refer to them.
do $$
begin
  if to_regclass('row_places') is not null then perform create_reference_table('labels'); end if;
end $$;

create table assignment_labels (
  id uuid primary key,
  assignment_id uuid not null,
  label_id uuid not null references labels,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create unique index assignment_labels_active on assignment_labels (assignment_id, label_id) where active;
create index assignment_labels_live on assignment_labels (id) where active;
create index assignment_labels_assignment on assignment_labels (assignment_id, active, id);
create index assignment_labels_label on assignment_labels (label_id, active, id);
create index assignment_labels_removed on assignment_labels (deleted_at desc, id) where not active;
create index assignment_labels_removed_with on assignment_labels (removed_with) where removed_with is not null;

select keep_with_assignment('assignment_labels');

create table assignment_dependencies (
  id uuid primary key,
  assignment_id uuid not null,
  blocked_by_id uuid not null check (blocked_by_id <> assignment_id),
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create unique index assignment_dependencies_active on assignment_dependencies (assignment_id, blocked_by_id) where active;
create index assignment_dependencies_live on assignment_dependencies (id) where active;
create index assignment_dependencies_assignment on assignment_dependencies (assignment_id, active, id);
create index assignment_dependencies_blocked_by on assignment_dependencies (blocked_by_id, active, id);
create index assignment_dependencies_removed on assignment_dependencies (deleted_at desc, id) where not active;
create index assignment_dependencies_removed_with on assignment_dependencies (removed_with) where removed_with is not null;

select keep_with_assignment('assignment_dependencies');

-- In a sharded store the two assignments may be on different nodes, which no foreign key can span.
do $$
begin
  if to_regclass('row_places') is null then
    alter table assignment_dependencies add constraint assignment_dependencies_blocked_by_id_fkey
      foreign key (blocked_by_id) references assignments;
  end if;
end $$;
