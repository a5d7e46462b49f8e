-- What a person has taken back: tokens that the client was given before are worth nothing.
alter table consents add column withdrawn_at timestamptz;
-- As people are shown the client; null for one that no host has named since.
alter table service_clients add column name text check (char_length(name) <= 200);
