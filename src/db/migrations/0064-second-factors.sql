-- What people prove themselves with beside the password: an app that makes codes (RFC 6238), one an account.
create table authenticator_apps (
  user_id uuid primary key references users,
  -- Sealed for this account under the secret that encrypts the keys.
  sealed_secret bytea not null check (octet_length(sealed_secret) between 28 and 200),
  -- The newest time step whose code was accepted: that code and those before it are refused.
  last_step bigint not null,
  -- Wrong codes since the last right one.
  failures integer not null default 0,
  created_at timestamptz not null
);

-- For the day on which the app is lost; each works once.
create table recovery_codes (
  user_id uuid not null references users,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (user_id, hash)
);

-- Steps of a sign-in that must not be used twice, until they would have expired anyway.
create table spent_steps (
  id text primary key check (char_length(id) between 16 and 64),
  expires_at timestamptz not null
);
create index spent_steps_expiry on spent_steps (expires_at);

-- How the person proved themselves, in the words of RFC 8176; null for a password alone.
alter table signin_sessions add column methods text[] check (cardinality(methods) between 1 and 10);
