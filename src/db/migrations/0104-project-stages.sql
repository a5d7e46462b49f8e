create table project_stages (
  id uuid primary key,
  project_id uuid not null references projects,
  workflow_id uuid not null references workflows,
  "order" integer not null check ("order" >= 0 and "order" <= 2147483647),
  color text check (color in ('gray', 'red', 'orange', 'amber', 'green', 'teal', 'cyan', 'blue', 'indigo', 'purple', 'pink', 'brown')),
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create unique index project_stages_active on project_stages (project_id, workflow_id) where active;
create index project_stages_live on project_stages (id) where active;
create index project_stages_project on project_stages (project_id, active, id);
create index project_stages_workflow on project_stages (workflow_id, active, id);
create index project_stages_removed on project_stages (deleted_at desc, id) where not active;
create index project_stages_removed_with on project_stages (removed_with) where removed_with is not null;
alter table projects add column color text;
alter table projects add constraint projects_color check (color in ('gray', 'red', 'orange', 'amber', 'green', 'teal', 'cyan', 'blue', 'indigo', 'purple', 'pink', 'brown'));
alter table workflows add column color text;
alter table workflows add constraint workflows_color check (color in ('gray', 'red', 'orange', 'amber', 'green', 'teal', 'cyan', 'blue', 'indigo', 'purple', 'pink', 'brown'));
