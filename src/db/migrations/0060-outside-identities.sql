-- Who somebody is at an outside provider: by its issuer and its subject, which together belong to one account at most.
create table outside_identities (
  id uuid primary key,
  issuer text not null check (char_length(issuer) <= 500),
  subject text not null check (char_length(subject) between 1 and 255),
  user_id uuid not null references users,
  -- The provider's id in the settings, and what people know the identity by: shown, never compared.
  provider text not null,
  label text not null check (char_length(label) <= 256),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  unique (issuer, subject)
);
create index outside_identities_user on outside_identities (user_id);

-- Sign-ins under way at outside providers, by the SHA-256 of their state: taken once, by whichever instance the browser
-- comes back to.
create table outside_attempts (
  id bytea primary key check (octet_length(id) = 32),
  sealed text not null,
  expires_at timestamptz not null
);
create index outside_attempts_expiry on outside_attempts (expires_at);

-- How somebody has signed in, if not here: by which provider and identity. The provider's identity token, sealed, is sent
-- back to it at the sign-out.
alter table signin_sessions
  add column provider text,
  add column outside_identity_id uuid,
  add column outside_token text;
