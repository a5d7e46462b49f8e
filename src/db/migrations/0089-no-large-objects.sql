-- No statement of the hosts makes large objects, and PostgreSQL lets every role make them: a role whose password was lost could
-- fill the disk with them. A role that does not own these functions cannot revoke them; `npm run doctor` says so then.
do $$
declare one regprocedure;
begin
  for one in
    select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace
      and proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import', 'lo_open', 'lo_put', 'lowrite')
  loop
    begin
      execute format('revoke execute on function %s from public', one);
    exception when insufficient_privilege then null;
    end;
  end loop;
end $$;
