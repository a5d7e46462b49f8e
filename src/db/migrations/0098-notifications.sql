-- Notifications of an account. Access is checked when they are read, so a row may be about an assignment that its account can no
-- longer see. `cause` is the number of the change, or the due date of a reminder.
create table notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  kind text not null check (char_length(kind) <= 50),
  assignment_id uuid not null,
  comment_id uuid,
  actor_id uuid,
  cause text not null check (char_length(cause) <= 50),
  at timestamptz not null,
  read_at timestamptz,
  constraint notifications_once unique (user_id, assignment_id, kind, cause)
);
create index notifications_newest on notifications (user_id, at desc, id desc);
create index notifications_age on notifications (at);

-- The progress of the one reader of the feed that creates them: `position` is one of the change feed, `since` the snapshot in it.
-- Days before `reminded_on` have had their reminders.
create table notification_progress (
  only_row boolean primary key default true check (only_row),
  position text not null,
  since text not null,
  reminded_on date not null
);
