-- Accounts that other administrators made administrators, beside those that the settings name.
create table administrators (
  user_id uuid primary key references users,
  given_by uuid not null,
  given_at timestamptz not null default now()
);

-- Accounts that nobody may sign in to. They stay active: names, memberships and history are as they were.
create table deactivated_accounts (
  user_id uuid primary key references users,
  deactivated_by uuid not null,
  deactivated_at timestamptz not null default now()
);
