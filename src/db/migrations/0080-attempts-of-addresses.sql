-- Who began a sign-in at an outside provider, so that nobody has more than a share of those under way. None for what
-- versions before this one have kept.
alter table outside_attempts add column address text check (char_length(address) <= 64);
create index outside_attempts_address on outside_attempts (address, expires_at);
