#!/bin/sh
# Creates the roles that compose.yaml's containers connect as, and the database that one of them owns. The PostgreSQL image
# runs it once, for an empty volume. Run it again to set the current passwords:
#   docker compose exec database sh /docker-entrypoint-initdb.d/create-roles.sh
set -eu
: "${MIGRATION_PASSWORD:?}" "${REST_PASSWORD:?}" "${COMMANDS_PASSWORD:?}" "${IDENTITY_PASSWORD:?}" "${BANK_PASSWORD:?}"
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname "${PGDATABASE:-postgres}" \
  --set prefix="${DB_ROLE_PREFIX:-tracker_}" --set database="${TRACKER_DATABASE:-tracker}" <<'SQL'
\getenv migrations MIGRATION_PASSWORD
\getenv rest REST_PASSWORD
\getenv commands COMMANDS_PASSWORD
\getenv identity IDENTITY_PASSWORD
\getenv bank BANK_PASSWORD
-- No statement with a password goes to the server's log.
set log_statement to 'none';
set log_min_error_statement to 'panic';
select format('create role %I', :'prefix' || name)
  from unnest(array['migrations', 'rest', 'commands', 'identity', 'bank']) as name
  where not exists (select from pg_roles where rolname = :'prefix' || name) \gexec
select format('alter role %I login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password %L',
    :'prefix' || name, password)
  from unnest(
    array['migrations', 'rest', 'commands', 'identity', 'bank'],
    array[:'migrations', :'rest', :'commands', :'identity', :'bank']
  ) as given (name, password) \gexec
-- The bank sets these itself, except behind a pooler in transaction mode, where it requires them.
select format('alter role %I set %s', :'prefix' || 'bank', setting)
  from unnest(array[
    'synchronous_commit = on', 'statement_timeout = ''2s''', 'plan_cache_mode = force_generic_plan'
  ]) as setting \gexec
select format('create database %I owner %I', :'database', :'prefix' || 'migrations')
  where not exists (select from pg_database where datname = :'database') \gexec
-- The role that migrates does not own these functions, so it cannot revoke them: no host makes large objects.
\connect :"database"
select format('revoke execute on function %s from public', oid::regprocedure) from pg_proc
  where pronamespace = 'pg_catalog'::regnamespace
    and proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import', 'lo_open', 'lo_put', 'lowrite') \gexec
SQL
