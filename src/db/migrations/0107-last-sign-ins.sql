-- The last sign-in of each account, which outlives its session. Invitations name the person they are for.
create table last_sign_ins (
  user_id uuid primary key references users on delete cascade,
  at timestamptz not null
);
insert into last_sign_ins (user_id, at) select user_id, max(created_at) from signin_sessions group by user_id;
alter table account_links add column recipient_name text;
alter table account_links add constraint account_links_recipient_name check (char_length(recipient_name) between 1 and 254);
