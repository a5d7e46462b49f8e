-- createdAt, updatedAt and deletedAt have milliseconds, as a JavaScript Date does, so that an echoed version is the same version.

-- Hosts of the release before go on for a while beside new ones, and let a version grow by a microsecond: two of their changes could
-- have the same version. This lets it grow by a millisecond at least. It never runs for a version that has milliseconds already.
create function keep_milliseconds() returns trigger
language plpgsql as $$
begin
  new.updated_at := greatest(date_trunc('milliseconds', new.updated_at),
    date_trunc('milliseconds', coalesce(old.updated_at, old.created_at)) + interval '1 millisecond');
  return new;
end $$;

revoke all on function keep_milliseconds() from public;

do $$
declare
  resource text;
begin
  foreach resource in array array['organizations', 'assignment_types', 'workflows', 'impediments', 'users', 'projects', 'user_projects',
    'assignments', 'appointments', 'assignment_impediments', 'user_assignments', 'comments', 'saved_views', 'project_views']
  loop
    execute format('alter table %I alter column created_at set default date_trunc(''milliseconds'', now())', resource);
    -- A table that is spread over several nodes takes no triggers.
    if to_regclass('row_places') is null then
      execute format('create trigger keep_milliseconds before update of updated_at on %I for each row
        when (new.updated_at <> date_trunc(''milliseconds'', new.updated_at)) execute function keep_milliseconds()', resource);
    end if;
  end loop;
end $$;

-- Existing rows keep their microseconds, which every reader cuts: rewriting a million of them locks or bloats their table for a minute
-- or two. Those of projects are cut, because hosts of the release before compare expectedVersion with all digits.
update projects set
  created_at = date_trunc('milliseconds', created_at at time zone 'UTC') at time zone 'UTC',
  updated_at = date_trunc('milliseconds', updated_at at time zone 'UTC') at time zone 'UTC'
  where created_at <> date_trunc('milliseconds', created_at at time zone 'UTC') at time zone 'UTC'
    or updated_at <> date_trunc('milliseconds', updated_at at time zone 'UTC') at time zone 'UTC';
