-- What people see of their sign-ins, and when a session was last used.
alter table signin_sessions
  add column client_id text,
  add column address text,
  add column user_agent text,
  add column last_used_at timestamptz;
