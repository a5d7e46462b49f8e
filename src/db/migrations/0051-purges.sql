-- What was removed long ago may be deleted for good, where REMOVED_DAYS says so; each purge is written down here.
create table purges (
  at timestamptz not null default clock_timestamp(),
  resource text not null,
  -- Of rows that had been removed before this moment.
  removed_before timestamptz not null,
  rows bigint not null
);

-- Deletes up to a thousand rows of a resource that were removed more than so many days ago and that nothing refers to, and
-- returns how many. Hosts may call it without a right to delete: it takes no live row, none of another kind of table, and none
-- younger than 30 days. Locks: each row as it is deleted, so that one which is being restored stays; purges take turns.
create function forget_removed(resource text, table_name text, days integer) returns bigint
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
    where contype = 'f' and confrelid = format('public.%I', table_name)::regclass;
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

revoke all on function forget_removed(text, text, integer) from public;
