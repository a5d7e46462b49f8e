-- Links that are used once, known by their SHA-256 only: to make an account, or to give one a new password.
create table account_links (
  id uuid primary key,
  purpose text not null check (purpose in ('invitation', 'password')),
  hash bytea not null unique check (octet_length(hash) = 32),
  made_by uuid not null references users,
  -- Of an invitation: the project whose member the new person becomes; none, where an administrator invites.
  project_id uuid references projects,
  -- Of a new password: whose, and the account's stamp, so that any other new password ends the link.
  user_id uuid references users,
  security_stamp text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null check (expires_at <= created_at + interval '7 days'),
  used_at timestamptz,
  ended_at timestamptz,
  check ((purpose = 'password') = (user_id is not null and security_stamp is not null))
);
create index account_links_maker on account_links (made_by, created_at desc);
create index account_links_user on account_links (user_id) where user_id is not null;
