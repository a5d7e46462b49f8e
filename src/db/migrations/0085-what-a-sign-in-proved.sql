-- How often the second factors of an account have changed: a sign-in that was proved before the last change is none.
create table factor_changes (
  user_id uuid primary key references users on delete cascade,
  count bigint not null
);
-- When the person of a sign-in by an outside provider last proved themselves there; none where the provider does not say.
alter table signin_sessions add column proved_at timestamptz;
