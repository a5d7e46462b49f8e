-- The login of an account that was verified to be an address of its user. A login that has changed since is unverified.
create table verified_logins (
  user_id uuid primary key references users on delete cascade,
  login text not null
);
-- The address to which the link was mailed; using the link verifies the address.
alter table account_links add column mailed_to text;
