-- The bank shares the store with the tracker and nothing else, so it has a schema of its own.
create schema bank;

-- Five rows for ever. Room on the page lets every update stay on it, and touch no index.
create table bank.account (
  id integer primary key,
  credit_limit bigint not null check (credit_limit >= 0),
  balance bigint not null default 0,
  -- How many transactions were applied; the next one is numbered from here, under the lock of this row.
  seq bigint not null default 0,
  -- A safety net: the functions below refuse first.
  constraint balance_within_limit check (balance >= -credit_limit)
) with (fillfactor = 10);

insert into bank.account (id, credit_limit) values (1, 100000), (2, 80000), (3, 1000000), (4, 10000000), (5, 500000);

-- Append-only. The key is also the order of the statement, read backwards. No foreign key: the one writer has the
-- account's row locked already, and a check for every row would cost more than the row.
create table bank.ledger (
  account_id integer not null,
  seq bigint not null,
  -- In cents, a debit below zero: the balance is the sum.
  amount integer not null check (amount <> 0),
  description text not null check (char_length(description) between 1 and 10),
  applied_at timestamptz not null default clock_timestamp(),
  primary key (account_id, seq)
);

-- The one rule: a debit stays within the limit, a credit within what a bigint holds. Neither side can overflow itself.
create function bank.passes(balance bigint, credit_limit bigint, amount integer) returns boolean
language sql immutable as $$
  select balance between -credit_limit - least(amount, 0) and 9223372036854775807 - greatest(amount, 0)
$$;

-- One transaction. The update locks the row until commit, and looks at the rule again after waiting for another's lock.
create function bank.apply_one(account integer, amount integer, description text, out balance bigint, out applied boolean)
language plpgsql as $$
declare
  next_seq bigint;
begin
  update bank.account as a set balance = a.balance + amount, seq = a.seq + 1
    where a.id = account and bank.passes(a.balance, a.credit_limit, amount)
    returning a.balance, a.seq into balance, next_seq;
  applied := found;
  if applied then
    insert into bank.ledger (account_id, seq, amount, description)
      values (account, next_seq, amount, description);
  else
    select a.balance into balance from bank.account as a where a.id = account;
  end if;
end $$;

-- Many transactions of any accounts in the order given, each applied or refused by itself; one commit for all of them.
create function bank.apply(
  accounts integer[], amounts integer[], descriptions text[], out balances bigint[], out applied boolean[]
)
language plpgsql as $$
declare
  locked record;
  account integer;
  -- By account.
  limits bigint[];
  current_balance bigint[];
  current_seq bigint[];
  -- By transaction; none where it is refused.
  seqs bigint[];
begin
  -- Held until commit: from here to there nobody else reads a balance in order to change it. Everybody locks the rows
  -- in the order of their ids, so no two calls can wait for each other.
  for locked in
    select a.* from bank.account as a where a.id = any (accounts) order by a.id for no key update
  loop
    limits[locked.id] := locked.credit_limit;
    current_balance[locked.id] := locked.balance;
    current_seq[locked.id] := locked.seq;
  end loop;
  for item in 1..cardinality(amounts) loop
    account := accounts[item];
    applied[item] := bank.passes(current_balance[account], limits[account], amounts[item]);
    if applied[item] then
      current_balance[account] := current_balance[account] + amounts[item];
      current_seq[account] := current_seq[account] + 1;
      seqs[item] := current_seq[account];
    else
      -- An element that is never assigned would shift the others to the front.
      seqs[item] := null;
    end if;
    balances[item] := current_balance[account];
  end loop;
  insert into bank.ledger (account_id, seq, amount, description)
    select item.account, item.seq, item.amount, item.description
    from unnest(accounts, seqs, amounts, descriptions) as item (account, seq, amount, description)
    where item.seq is not null;
  if found then
    update bank.account as a set balance = current_balance[a.id], seq = current_seq[a.id]
      where a.id = any (accounts) and a.seq <> current_seq[a.id];
  end if;
end $$;
