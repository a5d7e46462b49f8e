-- Choices of an account for mails about its notifications; null is the default. The key signs the links that end these mails.
alter table account_settings
  add column notification_mails text check (notification_mails in ('soon', 'daily', 'none')),
  add column notification_hour smallint check (notification_hour between 0 and 23),
  add column time_zone text check (char_length(time_zone) <= 64),
  add column muted_kinds text[] check (cardinality(muted_kinds) <= 20),
  add column unsubscribe_key bytea check (octet_length(unsubscribe_key) = 32);

-- The batch in which notifications were created. Batches have the order of their commits, because the row of the progress is locked.
alter table notification_progress add column batch bigint not null default 0;
alter table notifications add column batch bigint not null default 0;

-- The accounts with notifications that no mail has covered: those of the batches from `first_batch` on.
create table notification_mails (
  user_id uuid primary key references users on delete cascade,
  first_batch bigint not null,
  since timestamptz not null default now(),
  -- Null until it is calculated from the choices of the account.
  due_at timestamptz
);
create index notification_mails_due on notification_mails (due_at nulls first);

-- The batches that a mail covers.
alter table mails add column first_batch bigint, add column last_batch bigint;
alter table mails drop constraint mails_purpose_check;
alter table mails add constraint mails_purpose_check check (purpose in ('password', 'invitation', 'factors', 'notifications'));
