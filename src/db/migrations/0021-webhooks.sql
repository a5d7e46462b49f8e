-- Who wants to be told of changes, where, and how far he has been told: `position` is one of the change feed, `since` the snapshot
-- in it. One instance at a time works for a webhook, until `claimed_until`.
create table webhooks (
  id uuid primary key,
  user_id uuid not null references users,
  -- None: everything that the account may see.
  project_id uuid references projects,
  url text not null check (char_length(url) <= 2000),
  name text check (char_length(name) <= 200),
  -- None: all.
  resources text[],
  actions text[],
  secret text not null,
  -- Signs as well, until then.
  previous_secret text,
  previous_until timestamptz,
  position text not null,
  since text not null,
  active boolean not null default true,
  paused_at timestamptz,
  paused_because text,
  created_at timestamptz not null default now(),
  claim uuid,
  claimed_until timestamptz
);
create index webhooks_user on webhooks (user_id);
create index webhooks_project on webhooks (project_id);

-- What was made of a change for one webhook; the body stays as it was made. `next_at` is empty once it was delivered.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  message text not null,
  type text not null,
  row_id uuid not null,
  body text not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  first_at timestamptz,
  next_at timestamptz,
  delivered_at timestamptz
);
create index webhook_deliveries_log on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, row_id, id) where next_at is not null;
create index webhook_deliveries_age on webhook_deliveries using brin (created_at);

create table webhook_attempts (
  delivery_id bigint not null references webhook_deliveries on delete cascade,
  at timestamptz not null,
  milliseconds integer not null,
  headers jsonb not null,
  status integer,
  answer text,
  error text
);
create index webhook_attempts_delivery on webhook_attempts (delivery_id, at);
