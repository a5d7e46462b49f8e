-- A chain of hashes over the entries of each day, begun with the head of the day before: written once, when the day is over.
create table history_days (
  day date primary key,
  entries bigint not null,
  head text not null,
  sealed_at timestamptz not null default now()
);

-- The transaction that all entries of a restored store have: what it says of them is that they came together.
alter table history_begin add column restored_in xid8;
