-- What every write changed, kept for ever unless HISTORY_DAYS says otherwise. `changes` stays what live listings and dates ask,
-- small and short-lived; this is what people ask. Months are partitions, so that forgetting is dropping.
create table history (
  -- The number of its line in `changes`.
  sequence bigint not null,
  transaction xid8 not null,
  at timestamptz not null,
  resource text not null,
  row_id uuid not null,
  action text not null check (action in ('create', 'update', 'remove', 'restore')),
  -- The project that the row belonged to after the change.
  project_id uuid,
  caller uuid,
  -- Columns under the names of the store, no secret among them: the values of a new row; of a change `[before, after]`.
  fields jsonb not null,
  session text,
  client text,
  host text,
  request text
) partition by range (at);

create index history_sequence on history (sequence);
create index history_transaction on history (transaction);
create index history_row on history (row_id, sequence);
create index history_project on history (project_id, sequence) where project_id is not null;
create index history_age on history using brin (at);

-- A write never fails for want of a month.
create table history_other partition of history default;

-- Up to where history was forgotten; it begins there.
create table history_begin (
  at timestamptz not null
);
insert into history_begin (at) values (clock_timestamp());

-- Makes the months to come, and drops those that ended more than so many days ago; 0 keeps all. Hosts may call it without
-- owning a table. Fewer than 30 days are refused here as well, so that no host's role can empty the history.
create function keep_history(days integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month date;
  name text;
  old record;
begin
  if days <> 0 and days < 30 then raise exception 'History is kept for 30 days at least.'; end if;
  perform pg_advisory_xact_lock(7251405119);
  for month in
    select generate_series(date_trunc('month', now() at time zone 'UTC'), now() at time zone 'UTC' + interval '2 months', interval '1 month')
  loop
    name := 'history_' || to_char(month, 'YYYY_MM');
    continue when to_regclass(name) is not null;
    execute format('create table %I (like history including defaults including constraints)', name);
    -- Whatever came before its month was there.
    execute format(
      'with moved as (delete from history_other where at >= %1$L and at < %2$L returning *) insert into %3$I select * from moved',
      month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC', name);
    execute format(
      'alter table history attach partition %I for values from (%L) to (%L)',
      name, month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
  end loop;
  if days = 0 then return; end if;
  for old in
    select relname, (to_date(substr(relname, 9), 'YYYY_MM') + interval '1 month') at time zone 'UTC' as ended
    from pg_class join pg_inherits on inhrelid = pg_class.oid
    where inhparent = 'history'::regclass and relname ~ '^history_\d{4}_\d{2}$'
  loop
    continue when old.ended > now() - make_interval(days => days);
    execute format('drop table %I', old.relname);
    update history_begin set at = greatest(at, old.ended);
  end loop;
  delete from history_other where at < (select at from history_begin);
end $$;

revoke all on function keep_history(integer) from public;
select keep_history(0);
