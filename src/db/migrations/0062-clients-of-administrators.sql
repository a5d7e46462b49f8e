-- Clients that sign people in, made by administrators beside those of the settings. What is ended stays, so that its id is
-- never given again.
create table registered_clients (
  id text primary key check (id ~ '^client-[0-9a-f]{16}$'),
  name text not null check (char_length(name) between 1 and 100),
  -- The SHA-256 of 256 random bits; null for a public client.
  secret_hash bytea check (octet_length(secret_hash) = 32),
  scopes text[] not null check (cardinality(scopes) between 1 and 20),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 20),
  post_logout_redirect_uris text[] not null check (cardinality(post_logout_redirect_uris) <= 20),
  is_first_party boolean not null,
  requires_pkce boolean not null,
  made_by uuid not null,
  created_at timestamptz not null default now(),
  changed_at timestamptz,
  ended_at timestamptz,
  check (requires_pkce or secret_hash is not null)
);
create index registered_clients_open on registered_clients (created_at) where ended_at is null;
