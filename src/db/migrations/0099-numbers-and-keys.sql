-- The key of a project and the number of an assignment make its address: MBA-12.
alter table projects add column key text;
alter table assignments add column number integer;

-- The last number that each project has given, under the id of the project. Its row lock keeps numbers apart; a number is never
-- given again.
create table assignment_counters (
  id uuid primary key references projects on delete cascade,
  last integer not null
);

-- The numbers that assignments had before they moved to another project, so that old addresses still lead to them.
create table assignment_addresses (
  project_id uuid not null references projects on delete cascade,
  number integer not null,
  assignment_id uuid not null,
  primary key (project_id, number)
);
create index assignment_addresses_assignment on assignment_addresses (assignment_id);

-- PL/pgSQL keeps the plans of its statements.
create function next_assignment_number(project uuid) returns integer
language plpgsql as $$
declare
  given integer;
begin
  insert into assignment_counters as counter (id, last) values (project, 1)
    on conflict (id) do update set last = counter.last + 1
    returning last into given;
  return given;
end $$;

-- An assignment that moves gets a number there, and keeps its old address.
create function moved_assignment_number(assignment uuid, from_project uuid, old_number integer, to_project uuid) returns integer
language sql as $$
  insert into assignment_addresses (project_id, number, assignment_id)
    select from_project, old_number, assignment where old_number is not null;
  select next_assignment_number(to_project)
$$;

-- The keys that projects had before. They are never given to another project, so that an address has one meaning for good.
create table former_project_keys (
  key text primary key,
  project_id uuid not null references projects on delete cascade
);
create index former_project_keys_project on former_project_keys (project_id);

create function is_project_key_free(candidate text) returns boolean
language sql stable as $$
  select not exists (select from projects where key = candidate)
    and not exists (select from former_project_keys where key = candidate)
$$;

-- The locks are few, because a transaction may create many projects.
create function lock_project_key(key text, waits boolean) returns boolean
language plpgsql as $$
begin
  if not waits then return pg_try_advisory_xact_lock(725140513, hashtext(key) % 1024); end if;
  perform pg_advisory_xact_lock(725140513, hashtext(key) % 1024);
  return true;
end $$;

-- The initials of several words, or the first letters of one. A key that is in use, or that another transaction is about to use, is
-- made different by a digit, and by several random ones where many projects have the same initials.
create function free_project_key(name text) returns text
language plpgsql as $$
declare
  plain text := case when name ~ '[^ -~]' then regexp_replace(normalize(name, nfd), '[\u0300-\u036f]', '', 'g') else name end;
  words text[] := string_to_array(trim(regexp_replace(upper(plain), '[^A-Z0-9]+', ' ', 'g')), ' ');
  base text := (select left(string_agg(left(word, 1), '' order by place), 5) from unnest(words) with ordinality as word (word, place));
  candidate text;
  attempt integer := 0;
begin
  if cardinality(words) < 2 or base !~ '^[A-Z]' then
    base := (select left(word, 3) from unnest(words) with ordinality as word (word, place) where word ~ '^[A-Z][A-Z0-9]' order by place limit 1);
  end if;
  base := coalesce(base, 'PRO');
  while attempt < 60 loop
    candidate := case
      when attempt = 0 then base
      when attempt < 9 then base || attempt + 1
      else left(base, 8 - least(7, attempt / 5)) || floor((1 + 9 * random()) * 10 ^ (least(7, attempt / 5) - 1))
    end;
    if not exists (select from projects where key = candidate)
      and not exists (select from former_project_keys where key = candidate)
      and lock_project_key(candidate, false)
    then
      -- A transaction that had the lock may have committed meanwhile; a second statement sees it.
      if is_project_key_free(candidate) then return candidate; end if;
    end if;
    attempt := attempt + case when attempt = 0 and exists (select from projects where key = base || 9) then 10 else 1 end;
  end loop;
  raise exception 'No key is free for a project with this name.';
end $$;

-- Takes a key that was given, and keeps the former one. The program has checked that no other project had it; if another transaction
-- has just given it up, the write is tried again.
create function take_project_key(project uuid, former text, wanted text) returns void
language plpgsql as $$
begin
  perform lock_project_key(wanted, true);
  if exists (select from former_project_keys where key = wanted and project_id <> project) then
    raise serialization_failure using message = 'Another project has just had this key.';
  end if;
  delete from former_project_keys where key = wanted;
  if former is not null then
    insert into former_project_keys (key, project_id) values (former, project);
  end if;
end $$;

create index assignments_number on assignments (project_id, number);
create unique index projects_key on projects (key);

do $$
declare
  one record;
begin
  for one in select id, name from projects order by created_at, id loop
    update projects set key = free_project_key(one.name) where id = one.id;
  end loop;
  if to_regclass('row_places') is null then
    update assignments set number = numbered.number
      from (select id, row_number() over (partition by project_id order by created_at, id) as number from assignments) as numbered
      where numbered.id = assignments.id;
    insert into assignment_counters (id, last) select project_id, max(number) from assignments group by project_id;
  else
    for one in select id, project_id from assignments order by created_at, id loop
      update assignments set number = next_assignment_number(one.project_id) where id = one.id;
    end loop;
  end if;
end $$;

alter table projects alter column key set not null;
alter table projects add constraint projects_key_check check (char_length(key) <= 8 and key ~ '^[A-Z][A-Z0-9]+$');
alter table assignments alter column number set not null;
alter table assignments add constraint assignments_number_check check (number >= 1 and number <= 2147483647);

-- Triggers give keys and numbers to every row, whatever statement writes it, and to those of hosts of an earlier release. A sharded
-- store has no triggers: there the program calls the functions (src/db/sharded/write-rows.ts).
create function give_project_key() returns trigger
language plpgsql as $$
begin
  if new.key is null then
    new.key := free_project_key(new.name);
  elsif tg_op = 'INSERT' then
    perform take_project_key(new.id, null, new.key);
  elsif new.key <> old.key then
    perform take_project_key(new.id, old.key, new.key);
  end if;
  return new;
end $$;

create function give_assignment_number() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.number := moved_assignment_number(new.id, old.project_id, old.number, new.project_id);
  elsif new.number is null then
    new.number := next_assignment_number(new.project_id);
  end if;
  return new;
end $$;

do $$
begin
  if to_regclass('row_places') is null then
    alter table assignment_addresses add constraint assignment_addresses_assignment_id_fkey
      foreign key (assignment_id) references assignments on delete cascade;
    create trigger give_project_key before insert or update of key on projects
      for each row execute function give_project_key();
    create trigger give_assignment_number before insert on assignments
      for each row execute function give_assignment_number();
    create trigger give_number_of_moved before update of project_id on assignments
      for each row when (new.project_id <> old.project_id) execute function give_assignment_number();
  end if;
end $$;
