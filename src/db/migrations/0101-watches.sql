-- What an account has chosen for an assignment: to be told of it without being involved in it, or not to be told although it is.
create table watches (
  user_id uuid not null references users on delete cascade,
  assignment_id uuid not null,
  is_watching boolean not null,
  primary key (user_id, assignment_id)
);
create index watches_assignment on watches (assignment_id);

do $$
begin
  -- In a sharded store the assignment may be on another node.
  if to_regclass('row_places') is null then
    alter table watches add constraint watches_assignment_id_fkey
      foreign key (assignment_id) references assignments on delete cascade;
  end if;
end $$;
