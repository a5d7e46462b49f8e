-- Comments on assignments. They go with their assignment, and stay when their author goes.
create table comments (
  id uuid primary key,
  text text not null check (char_length(text) <= 10000),
  assignment_id uuid not null references assignments,
  user_id uuid not null references users,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  deleted_at timestamptz,
  active boolean not null default true,
  removed_with uuid
);

create index comments_assignment on comments (assignment_id, id) where active;
create index comments_user on comments (user_id, id) where active;
create index comments_removed on comments (deleted_at desc, id) where not active;
create index comments_removed_with on comments (removed_with) where removed_with is not null;

-- As for the other texts: without the extension, a search reads every row.
do $$
begin
  create index comments_text_search on comments using gin (text gin_trgm_ops) where active;
exception when undefined_object then
  raise notice 'pg_trgm is not available: search reads every row.';
end $$;
