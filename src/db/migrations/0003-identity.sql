-- Keys of the identity host, encrypted: 'signing' keys sign tokens, 'protection' keys seal cookies and pending requests.
create table identity_keys (
  id text primary key,
  purpose text not null check (purpose in ('signing', 'protection')),
  sealed bytea not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at)
);
create index identity_keys_purpose on identity_keys (purpose, starts_at);

-- Codes and refresh tokens are known by their SHA-256 only. A spent row stays as long as its session, so that a second
-- use is recognised for what it is.
create table authorization_codes (
  id bytea primary key,
  session_id text not null references signin_sessions on delete cascade,
  client_id text not null,
  redirect_uri text not null,
  code_challenge text not null,
  scope text not null,
  nonce text,
  expires_at timestamptz not null,
  spent_at timestamptz
);
create index authorization_codes_session on authorization_codes (session_id);
create index authorization_codes_expiry on authorization_codes (expires_at) where spent_at is null;

-- A refresh token lives as long as its session, and dies with it.
create table refresh_tokens (
  id bytea primary key,
  session_id text not null references signin_sessions on delete cascade,
  client_id text not null,
  scope text not null,
  created_at timestamptz not null,
  spent_at timestamptz
);
create index refresh_tokens_session on refresh_tokens (session_id);
