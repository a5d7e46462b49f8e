-- 200 projects, 100 people, each a member of ten projects, and as many assignments as wanted, evenly.
insert into organizations (id, name) select gen_random_uuid(), 'Organization ' || n from generate_series(1, 20) n;
insert into workflows (id, name, "order") select gen_random_uuid(), 'Stage ' || n, n from generate_series(1, 5) n;
insert into assignment_types (id, name) select gen_random_uuid(), 'Type ' || n from generate_series(1, 5) n;
insert into users (id, name, login, password_hash)
  select gen_random_uuid(), 'Person ' || n, 'person' || n || '@example.com', '!' from generate_series(1, 100) n;
insert into projects (id, name, organization_id)
  select gen_random_uuid(), 'Project ' || n, (array(select id from organizations order by id))[1 + n % 20] from generate_series(1, :projects) n;
insert into user_projects (id, user_id, project_id)
  select gen_random_uuid(), u.id, p.id
  from (select id, row_number() over (order by login) as n from users) u
  join (select id, row_number() over (order by name) as n from projects) p on p.n % (:projects / 10) = u.n % (:projects / 10);
insert into assignments (id, name, description, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id)
  select gen_random_uuid(), 'Assignment ' || n, 'What has to be done for number ' || n,
    now() + make_interval(days => n % 60), now() + make_interval(days => n % 60 + 7), n % 40,
    p.ids[1 + n % :projects], w.ids[1 + n % 5], u.ids[1 + n % 100], t.ids[1 + n % 5]
  from generate_series(1, :assignments) n,
    (select array_agg(id) as ids from projects) p, (select array_agg(id) as ids from workflows) w,
    (select array_agg(id) as ids from users) u, (select array_agg(id) as ids from assignment_types) t;
vacuum analyze;
