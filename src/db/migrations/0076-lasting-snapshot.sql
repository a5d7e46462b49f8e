-- Where a reader of changes goes on from. A transaction that wrote none may have been known to the primary alone: the standby that
-- takes over gives its number again, and a reader who holds that number for done would miss what it is given to. What is
-- committed here is known to the standby too, so the newest number that this reader holds is that of the newest change.
create function lasting_snapshot() returns pg_snapshot
language sql stable as $$
  with settled as materialized (
    select snapshot, pg_snapshot_xmax(snapshot)::text::bigint as next, pg_snapshot_xmin(snapshot)::text::bigint as least
    from (select settled_snapshot() as snapshot offset 0) as taken
  ), newest as materialized (
    select transaction::text::bigint + 1 as next from changes order by transaction desc limit 1
  )
  select case when newest.next < settled.next
    then format('%s:%s:%s', least(settled.least, newest.next), newest.next, (
      select string_agg(open::text, ',' order by open) from pg_snapshot_xip(snapshot) as open
      where open::text::bigint < newest.next))::pg_snapshot
    else snapshot end
  from settled left join newest on true
$$;
