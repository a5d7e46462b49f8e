-- Mails that wait to be sent, and those of the last day, by which they are counted. No secret is here: the link of a mail is
-- made when the mail is sent.
create table mails (
  id uuid primary key,
  purpose text not null check (purpose in ('password', 'invitation')),
  -- What somebody typed who has lost the password; cleared once it is known that no account has it.
  login text check (char_length(login) <= 256),
  -- Where that request came from.
  address text,
  -- Of a mail that somebody who is signed in asked for.
  made_by uuid references users on delete cascade,
  -- Of an invitation: which, and to whom. Cleared with the mail.
  link_id uuid references account_links on delete cascade,
  recipient text check (char_length(recipient) <= 254),
  created_at timestamptz not null default now(),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((purpose = 'invitation') = (link_id is not null))
);
create index mails_due on mails (next_attempt_at) where ended_at is null;
create index mails_created on mails (created_at);
create index mails_maker on mails (made_by, created_at) where made_by is not null;
create index mails_link on mails (link_id) where link_id is not null;
