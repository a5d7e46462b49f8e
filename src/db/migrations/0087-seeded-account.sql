-- The account that an empty store was seeded with, by its id: it is the administrator while the settings name none, whatever its
-- login becomes. One row, decided once; without an account where a store from before this has none that can be told. It refers
-- to nothing: once the account is purged, no other one takes its place.
create table seeded_account (
  is_only boolean primary key default true check (is_only),
  user_id uuid
);
