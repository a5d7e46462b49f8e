-- Tokens that people make for programs of their own, known by their SHA-256 only.
create table api_tokens (
  id uuid primary key,
  user_id uuid not null references users,
  hash bytea not null unique check (octet_length(hash) = 32),
  -- Of the account when it was made: a new password, a removal and the end of all sessions end it too.
  security_stamp text not null,
  name text not null check (char_length(name) between 1 and 200),
  -- Such as assignment:read.
  scopes text[] not null check (cardinality(scopes) between 1 and 100),
  -- Null is every project of the account.
  project_ids uuid[] check (cardinality(project_ids) between 1 and 20),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null check (expires_at <= created_at + interval '366 days'),
  ended_at timestamptz,
  last_used_at timestamptz,
  last_used_address text
);
create index api_tokens_user on api_tokens (user_id, created_at desc);
