-- Files on assignments. The bytes are in the file store, under the id of the row.
create table attachments (
  id uuid primary key,
  name text not null check (char_length(name) <= 200),
  type text not null check (char_length(type) <= 100),
  size integer not null check (size >= 1 and size <= 1073741824),
  sha256 text not null check (char_length(sha256) <= 64),
  assignment_id uuid not null,
  user_id uuid not null references users,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create index attachments_live on attachments (id) where active;
create index attachments_assignment on attachments (assignment_id, active, id);
create index attachments_user on attachments (user_id, active, id);
create index attachments_removed on attachments (deleted_at desc, id) where not active;
create index attachments_removed_with on attachments (removed_with) where removed_with is not null;

select keep_with_assignment('attachments');

do $$
begin
  create index attachments_name_search on attachments using gin (name gin_trgm_ops) where active;
exception when undefined_object then
  raise notice 'pg_trgm is not available: search reads every row.';
end $$;

-- Every file that the file store has or may have: a line is written before its file and deleted after it. A file without a row in
-- attachments is deleted; is_deleting says that this has begun, and that no row may be added any more.
create table attachment_files (
  id uuid primary key,
  begun_at timestamptz not null default now(),
  is_deleting boolean not null default false
);
