-- What is no resource belongs to the row it refers to and is deleted with it: tokens, links, roles and deactivations of an
-- account, webhooks of a project. Only forget_removed deletes such rows; until now these kept them for ever.
do $$
declare
  reference record;
begin
  for reference in
    select oid, conname, conrelid::regclass as referring from pg_constraint
    where contype = 'f' and confdeltype <> 'c'
      and (select count(*) from pg_attribute where attrelid = confrelid and attname in ('id', 'active', 'deleted_at', 'created_at', 'updated_at')) = 5
      and (select count(*) from pg_attribute where attrelid = conrelid and attname in ('id', 'active', 'deleted_at', 'created_at', 'updated_at')) < 5
  loop
    execute format('alter table %s drop constraint %I, add constraint %I %s on delete cascade',
      reference.referring, reference.conname, reference.conname, pg_get_constraintdef(reference.oid));
  end loop;
end $$;

-- As before, but only resources keep a row that they refer to.
create or replace function forget_removed(resource text, table_name text, days integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  moment timestamptz := now() - make_interval(days => days);
  unreferred text;
  gone bigint;
begin
  if days < 30 then raise exception 'Removed rows are kept for 30 days at least.'; end if;
  if (select count(*) from pg_attribute where attrelid = to_regclass(format('public.%I', table_name))
      and attname in ('id', 'active', 'deleted_at', 'created_at', 'updated_at')) <> 5 then
    raise exception 'This table has no rows that are removed.';
  end if;
  perform pg_advisory_xact_lock(7251405121);
  select coalesce(string_agg(format(' and not exists (select from %s as child where child.%I = old.id)', conrelid::regclass, attname), ''), '')
    into unreferred
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = format('public.%I', table_name)::regclass and confdeltype <> 'c';
  -- A line in the change log, so that lists of removed rows know that they have changed.
  execute format(
    'with deleted as (
      delete from %1$I where id in (
        select id from %1$I as old where not active and deleted_at < $1 %2$s limit 1000 for update skip locked)
      returning id
    ), told as (
      insert into changes (resource, row_id, action) select $2, id, ''remove'' from deleted limit 1
    ) select count(*) from deleted', table_name, unreferred)
    into gone using moment, resource;
  if gone > 0 then
    insert into purges (resource, removed_before, rows) values (resource, moment, gone);
  end if;
  return gone;
end $$;

-- Whether anything refers to a row is asked of live and removed rows alike, and again for each row that is deleted. Indexes of
-- live rows only cannot tell: each question read a whole table. `active` is a column of these, so lists find as much in them.
drop index projects_organization, assignments_project, assignments_workflow, assignments_user, assignments_type,
  appointments_assignment, appointments_user, assignment_impediments_assignment, assignment_impediments_impediment,
  user_assignments_user, user_assignments_assignment, user_projects_user, user_projects_project,
  comments_assignment, comments_user, saved_views_user, project_views_project, project_views_user;
create index projects_organization on projects (organization_id, active, id);
create index assignments_project on assignments (project_id, active, id);
create index assignments_workflow on assignments (workflow_id, active, id);
create index assignments_user on assignments (user_id, active, id);
create index assignments_type on assignments (assignment_type_id, active, id);
create index appointments_assignment on appointments (assignment_id, active, id);
create index appointments_user on appointments (user_id, active, keep_date);
create index assignment_impediments_assignment on assignment_impediments (assignment_id, active, id);
create index assignment_impediments_impediment on assignment_impediments (impediment_id, active);
create index user_assignments_user on user_assignments (user_id, active, assignment_id);
create index user_assignments_assignment on user_assignments (assignment_id, active, id);
create index user_projects_user on user_projects (user_id, active, project_id);
create index user_projects_project on user_projects (project_id, active, id);
create index comments_assignment on comments (assignment_id, active, id);
create index comments_user on comments (user_id, active, id);
create index saved_views_user on saved_views (user_id, active, id);
create index project_views_project on project_views (project_id, active, id);
create index project_views_user on project_views (user_id, active, id);
create index account_links_project on account_links (project_id) where project_id is not null;
