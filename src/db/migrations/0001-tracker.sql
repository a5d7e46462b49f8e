-- Every resource's table has the common columns: id, created_at, updated_at, deleted_at, active.
-- Checks and foreign keys are a safety net: the operations refuse first, with the user's sentence.

create table organizations (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  description text check (char_length(description) <= 2000),
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table projects (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  organization_id uuid not null references organizations,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table assignment_types (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table workflows (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  "order" integer not null check ("order" >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table users (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  login text not null check (char_length(login) <= 256),
  password_hash text not null,
  -- Replaced whenever the login or the password changes: everything issued before stops working.
  security_stamp text not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table assignments (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  description text check (char_length(description) <= 2000),
  start_date timestamptz not null,
  end_date timestamptz not null check (end_date >= start_date),
  amount_hours numeric(8, 2) not null check (amount_hours between 0 and 100000),
  project_id uuid not null references projects,
  workflow_id uuid not null references workflows,
  user_id uuid not null references users,
  assignment_type_id uuid not null references assignment_types,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table appointments (
  id uuid primary key,
  description text check (char_length(description) <= 2000),
  keep_date timestamptz not null,
  amount_hours numeric(8, 2) not null check (amount_hours > 0 and amount_hours <= 100000),
  assignment_id uuid not null references assignments,
  user_id uuid not null references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table impediments (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

create table assignment_impediments (
  id uuid primary key,
  description text check (char_length(description) <= 2000),
  assignment_id uuid not null references assignments,
  impediment_id uuid not null references impediments,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true
);

-- The two link tables remember which parent's removal took a row along, so that it returns with that parent.
create table user_assignments (
  id uuid primary key,
  user_id uuid not null references users,
  assignment_id uuid not null references assignments,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create table user_projects (
  id uuid primary key,
  user_id uuid not null references users,
  project_id uuid not null references projects,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

-- Holds the rule "one active account per login", also against races.
create unique index users_login_active on users (lower(trim(login))) where active;

-- Filters, dependents and the path from a row to its project's members.
create index projects_organization on projects (organization_id, id) where active;
create index assignments_project on assignments (project_id, id) where active;
create index assignments_workflow on assignments (workflow_id, id) where active;
create index assignments_user on assignments (user_id, id) where active;
create index assignments_type on assignments (assignment_type_id) where active;
create index assignments_period on assignments (end_date, start_date) where active;
create index appointments_assignment on appointments (assignment_id, id) where active;
create index appointments_user on appointments (user_id, keep_date) where active;
create index appointments_keep_date on appointments (keep_date) where active;
create index assignment_impediments_assignment on assignment_impediments (assignment_id, id) where active;
create index assignment_impediments_impediment on assignment_impediments (impediment_id) where active;
create index user_assignments_user on user_assignments (user_id, assignment_id) where active;
create index user_assignments_assignment on user_assignments (assignment_id, id) where active;
create index user_assignments_removed_with on user_assignments (removed_with) where removed_with is not null;
create index user_projects_user on user_projects (user_id, project_id) where active;
create index user_projects_project on user_projects (project_id, id) where active;
create index user_projects_removed_with on user_projects (removed_with) where removed_with is not null;

-- Search is a literal "contains". Without the extension it still works, by reading every row.
do $$
declare
  searched record;
begin
  create extension if not exists pg_trgm;
  for searched in
    select * from (values
      ('organizations', 'name'), ('organizations', 'description'), ('projects', 'name'),
      ('assignment_types', 'name'), ('workflows', 'name'), ('users', 'name'), ('users', 'login'),
      ('assignments', 'name'), ('assignments', 'description'), ('appointments', 'description'),
      ('impediments', 'name'), ('assignment_impediments', 'description')
    ) as columns_searched (table_name, column_name)
  loop
    execute format('create index %I on %I using gin (%I gin_trgm_ops) where active',
      searched.table_name || '_' || searched.column_name || '_search', searched.table_name, searched.column_name);
  end loop;
exception when undefined_file or insufficient_privilege or feature_not_supported then
  raise notice 'pg_trgm is not available: search reads every row.';
end $$;

-- One row for every row written, in the same transaction. Readers ask for what became visible between two snapshots.
create table changes (
  sequence bigint generated always as identity primary key,
  transaction xid8 not null default pg_current_xact_id(),
  -- When the row was written, not when its transaction began.
  at timestamptz not null default clock_timestamp(),
  resource text not null,
  row_id uuid not null,
  action text not null check (action in ('create', 'update', 'remove', 'restore')),
  caller uuid
);
create index changes_transaction on changes (transaction);
create index changes_resource on changes (resource, sequence);
create index changes_age on changes using brin (at);

-- The one truth about a sign-in session: a token's sid works while its row is here and has not ended.
create table signin_sessions (
  id text primary key,
  user_id uuid not null references users,
  security_stamp text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index signin_sessions_user on signin_sessions (user_id);
create index signin_sessions_expiry on signin_sessions (expires_at);

-- Failed attempts per purpose and subject, so that all instances count together.
create table lockouts (
  purpose text not null,
  subject text not null,
  failed_at timestamptz[] not null default '{}',
  locked_until timestamptz,
  primary key (purpose, subject)
);
