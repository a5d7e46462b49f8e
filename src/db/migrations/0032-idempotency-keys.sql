-- Requests that carried a key, each with its answer: who sends the same again within a day gets that answer, and nothing
-- is done twice. No foreign key: its lock on the account would come before those of the rows that are written.
create table idempotency_keys (
  account uuid not null,
  -- HMACs under the key itself, which is not kept: whoever reads this table can neither use a key nor try bodies.
  key bytea not null check (octet_length(key) = 32),
  request bytea not null check (octet_length(request) = 32),
  -- The JSON that was answered; null only within the transaction that makes it.
  answer text,
  answer_bytes integer not null default 0,
  created_at timestamptz not null default statement_timestamp(),
  primary key (account, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
-- How much an account keeps is read from the index alone.
create index idempotency_keys_use on idempotency_keys (account) include (answer_bytes);
