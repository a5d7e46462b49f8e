-- Every service client that an identity host had in its settings. Without `valid_since` it has been removed from them; a
-- token issued before that moment is refused.
create table service_clients (
  id text primary key,
  valid_since timestamptz default '-infinity'
);
