-- What people have allowed clients that are not first-party; what was allowed once is not asked again.
create table consents (
  user_id uuid not null references users,
  client_id text not null,
  scope text not null,
  granted_at timestamptz not null,
  primary key (user_id, client_id)
);

-- Access tokens that their client has given back before their time, by their `jti`.
create table revoked_tokens (
  id text primary key,
  expires_at timestamptz not null
);
create index revoked_tokens_expiry on revoked_tokens (expires_at);

-- A client with a secret may be allowed to do without a challenge.
alter table authorization_codes alter column code_challenge drop not null;
