-- Functions that work differently in a sharded store. `distribute` runs this file every time.

-- A transaction becomes visible here shortly before it is visible on every node, because it is committed on
-- the nodes after it was committed here. Until then it keeps the lock on its own number. The locks are read
-- after the snapshot was taken, so a transaction that is neither in progress in the snapshot nor locked is
-- committed on every node. `pg_locks` has only the lower half of a number.
create or replace function settled_snapshot() returns pg_snapshot
language sql stable as $$
  with current as materialized (
    select pg_snapshot_xmin(snapshot)::text::bigint as least, pg_snapshot_xmax(snapshot)::text::bigint as next, snapshot
    from (select pg_current_snapshot() as snapshot offset 0) as taken
  ), locked as materialized (
    select next - mod(next - transactionid::text::bigint + 2 * 4294967296, 4294967296) as number
    from current cross join pg_locks
    where locktype = 'transactionid' and mode = 'ExclusiveLock' and granted
  ), unsettled as (
    select number from locked cross join current where number < next and number > next - 2147483648
    union select open::text::bigint from current cross join lateral pg_snapshot_xip(snapshot) as open
  )
  select format('%s:%s:%s', least(least, min(number)), next, string_agg(number::text, ',' order by number))::pg_snapshot
  from current left join unsettled on true group by least, next
$$;

-- The primary key of a row must include the column that determines its node. The uniqueness of ids is
-- guaranteed by row_places. The name of the table is read first, because Citus replaces the table itself.
create or replace function keep_with_assignment(child regclass) returns void
language plpgsql as $$
declare
  name text := (select relname from pg_class where oid = child);
begin
  execute format('alter table %I drop constraint if exists %I', name, name || '_assignment_id_fkey');
  execute format('alter table %I drop constraint %I', name, name || '_pkey');
  execute format('alter table %I add constraint %I primary key (id, assignment_id)', name, name || '_pkey');
  execute format('insert into row_places (table_name, id, assignment_id) select %L, id, assignment_id from %1$I on conflict do nothing', name);
  execute format('select create_distributed_table(%L, ''assignment_id'', colocate_with => ''assignments'')', name);
  execute format('alter table %I add constraint %I foreign key (assignment_id) references assignments', name, name || '_assignment_id_fkey');
end $$;

-- Citus cannot plan the statements of an SQL function that have parameters.
create or replace function moved_assignment_number(assignment uuid, from_project uuid, old_number integer, to_project uuid) returns integer
language plpgsql as $$
begin
  insert into assignment_addresses (project_id, number, assignment_id)
    select from_project, old_number, assignment where old_number is not null;
  return next_assignment_number(to_project);
end $$;

-- The function of the migrations does this in one statement, which could not look for references on several
-- nodes while it deletes. Rows are locked by their entries in row_places, as everywhere in a sharded store.
create or replace function forget_removed(resource text, table_name text, days integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deleted_before timestamptz := now() - make_interval(days => days);
  found uuid[] := '{00000000-0000-0000-0000-000000000000}';
  candidates uuid[];
  referred uuid[];
  child record;
begin
  if days < 30 then raise exception 'Removed rows are kept for 30 days at least.'; end if;
  if (select count(*) from pg_attribute where attrelid = to_regclass(format('public.%I', table_name))
      and attname in ('id', 'active', 'deleted_at', 'created_at', 'updated_at')) <> 5 then
    raise exception 'This table has no rows that are removed.';
  end if;
  perform pg_advisory_xact_lock(7251405121);
  -- One transaction at a time writes to tables that every node has. Its lock is the entry without a table name.
  if exists (select from pg_dist_partition where logicalrelid = to_regclass(format('public.%I', table_name)) and repmodel = 't') then
    perform from row_places as place where place.table_name = '' for update;
  end if;
  -- Rows that are still referred to stay. The loop reads on behind them until a batch has a row to delete.
  while coalesce(cardinality(candidates), 0) = 0 loop
    execute format('select array_agg(id order by id) from (
        select id from %I where not active and deleted_at < $1 and id > $2 order by id limit 1000) as batch', table_name)
      into found using deleted_before, found[cardinality(found)];
    if found is null then return 0; end if;
    select array_agg(id) into candidates from (
      select id from row_places as place where place.table_name = forget_removed.table_name and id = any(found)
      order by id for update skip locked) as locked;
    execute format('select array_agg(id) from %I where id = any($1) and not active and deleted_at < $2', table_name)
      into candidates using candidates, deleted_before;
    for child in
      select conrelid::regclass as name, attname from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
      where contype = 'f' and confrelid = format('public.%I', table_name)::regclass and confdeltype <> 'c'
      -- No foreign key can span two nodes.
      union all select 'assignment_dependencies', 'blocked_by_id' where table_name = 'assignments'
    loop
      execute format('select array_agg(distinct %I) from %s where %1$I = any($1)', child.attname, child.name)
        into referred using candidates;
      candidates := array(select id from unnest(candidates) as id where id <> all(coalesce(referred, '{}')));
    end loop;
  end loop;
  execute format('delete from %I where id = any($1)', table_name) using candidates;
  -- Foreign keys do this in a store of one node.
  if table_name = 'assignments' then
    delete from assignment_addresses where assignment_id = any(candidates);
    delete from watches where assignment_id = any(candidates);
    update assignments set parent_id = null where parent_id = any(candidates);
  end if;
  delete from row_places as place where place.table_name = forget_removed.table_name and id = any(candidates);
  delete from two_phase_commits where id = 0;
  insert into changes (resource, row_id, action) values (forget_removed.resource, candidates[1], 'remove');
  insert into purges (resource, removed_before, rows) values (forget_removed.resource, deleted_before, cardinality(candidates));
  return cardinality(candidates);
end $$;
