-- The assignment that another one is a part of. The program checks levels and circles under the lock of the project.
alter table assignments add column parent_id uuid;

-- The place in the manual order of a stage, compared byte by byte. Between two of them there is always room for a third, because
-- none ends with the smallest digit.
alter table assignments add column rank text collate "C";

-- The rank of an assignment that has not been moved: the order of creation, behind all earlier ones.
create function initial_rank(number integer) returns text
language sql immutable parallel safe as $$ select lpad(number::text, 10, '0') || 'V' $$;

-- The expression and not the function, which only the coordinator of a sharded store has.
update assignments set rank = lpad(number::text, 10, '0') || 'V';
alter table assignments alter column rank set not null;
alter table assignments add constraint assignments_rank_check check (char_length(rank) <= 60);

create index assignments_parent on assignments (parent_id) where parent_id is not null;

-- A number and a rank are given together.
create or replace function give_assignment_number() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.number := moved_assignment_number(new.id, old.project_id, old.number, new.project_id);
    new.rank := initial_rank(new.number);
  else
    new.number := coalesce(new.number, next_assignment_number(new.project_id));
    new.rank := coalesce(new.rank, initial_rank(new.number));
  end if;
  return new;
end $$;

do $$
begin
  if to_regclass('row_places') is null then
    alter table assignments add constraint assignments_parent_id_fkey
      foreign key (parent_id) references assignments on delete set null;
  end if;
end $$;

-- As before, but a sub-assignment does not keep the assignment that it was a part of: the reference becomes null.
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
    where contype = 'f' and confrelid = format('public.%I', table_name)::regclass and confdeltype not in ('c', 'n');
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
