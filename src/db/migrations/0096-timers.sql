-- The running timer of an account, at most one. Stopping it deletes the row and creates an appointment. The assignment is not referenced,
-- because it may be on another node, and because a timer may outlast it: its owner then discards it.
create table timers (
  user_id uuid primary key references users on delete cascade,
  assignment_id uuid not null,
  started_at timestamptz not null default date_trunc('milliseconds', now())
);
