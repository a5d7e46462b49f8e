-- Public keys that people prove themselves with (WebAuthn): alone, or after the password.
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users,
  -- Of one account only, whoever sends it.
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key bytea not null check (octet_length(public_key) between 1 and 2048),
  -- Of the key's own count, the newest number seen: a lower one later means that the key was copied.
  counter bigint not null check (counter >= 0),
  transports text[] not null check (cardinality(transports) <= 10),
  name text not null check (char_length(name) between 1 and 100),
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id, created_at);
