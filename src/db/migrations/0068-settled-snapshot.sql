-- What readers of changes may rely on: whatever is in it can be read. A store of several nodes answers it in another way.
create function settled_snapshot() returns pg_snapshot
language sql stable as $$ select pg_current_snapshot() $$;

-- For a new table whose rows belong to an assignment, by their assignment_id: a migration makes the table without a reference to
-- assignments, then calls this. A store of several nodes also puts the rows where the assignments are.
create function keep_with_assignment(child regclass) returns void
language plpgsql as $$
declare
  name text := (select relname from pg_class where oid = child);
begin
  execute format('alter table %s add constraint %I foreign key (assignment_id) references assignments', child, name || '_assignment_id_fkey');
end $$;

revoke all on function keep_with_assignment(regclass) from public;
