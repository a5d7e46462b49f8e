-- The assignment that another one is a part of. The program checks levels and circles under the lock of the project.
alter table assignments add column parent_id uuid;

-- The place in the manual order of a stage, compared byte by byte. Between two of them there is always room for a third, because
-- none ends with the smallest digit.
alter table assignments add column rank text collate "C";

-- The rank of an assignment that has not been moved: the order of creation, behind all earlier ones.
create function initial_rank(number integer) returns text
language sql immutable parallel safe as $$ select lpad(number::text, 10, '0') || 'V' $$;

-- The expression and not the function, which only the coordinator of a sharded store has.
update assignments set rank = lpad(number::text, 10, '0') || 'V';
alter table assignments alter column rank set not null;
alter table assignments add constraint assignments_rank_check check (char_length(rank) <= 60);

create index assignments_parent on assignments (parent_id) where parent_id is not null;

-- A number and a rank are given together.
create or replace function give_assignment_number() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.number := moved_assignment_number(new.id, old.project_id, old.number, new.project_id);
    new.rank := initial_rank(new.number);
  else
    new.number := coalesce(new.number, next_assignment_number(new.project_id));
    new.rank := coalesce(new.rank, initial_rank(new.number));
  end if;
  return new;
end $$;

do $$
begin
  if to_regclass('row_places') is null then
    alter table assignments add constraint assignments_parent_id_fkey
      foreign key (parent_id) references assignments on delete set null;
  end if;
end $$;

-- A sub-assignment does not keep the assignment that it was a part of: the reference becomes null when that is deleted. A sharded
-- store has a function of its own, and no such reference.
do $$
begin
  if to_regclass('row_places') is null then
    execute replace(pg_get_functiondef('forget_removed(text, text, integer)'::regprocedure),
      $text$confdeltype <> 'c'$text$, $text$confdeltype not in ('c', 'n')$text$);
  end if;
end $$;
