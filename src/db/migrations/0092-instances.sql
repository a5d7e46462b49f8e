-- The running instances of the tracker's hosts, with hashes of the settings that they must have in common, and the clients that an
-- identity host knows. Times are of one clock, that of the store.
create table instances (
  id uuid primary key,
  host text not null constraint instances_host_check check (host in ('rest', 'identity', 'commands')),
  machine text not null constraint instances_machine_check check (char_length(machine) <= 300),
  process integer not null,
  settings jsonb not null,
  clients text[] not null default '{}',
  started_at timestamptz not null,
  seen_at timestamptz not null,
  stopped_at timestamptz
);
-- Set where no running instance named the client any more, so that an instance that comes back can restore it. A client that was
-- ended by hand has neither time.
alter table service_clients add column retired_at timestamptz;
-- The newest backup that was verified, for the doctor and the metrics.
create table latest_backup (
  is_only boolean primary key default true constraint latest_backup_is_only_check check (is_only),
  made_at timestamptz not null
);
