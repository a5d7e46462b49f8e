-- Removed rows are listed newest first. They are few beside the active ones, which no index of theirs should slow down.
create index organizations_removed on organizations (deleted_at desc, id) where not active;
create index projects_removed on projects (deleted_at desc, id) where not active;
create index assignment_types_removed on assignment_types (deleted_at desc, id) where not active;
create index workflows_removed on workflows (deleted_at desc, id) where not active;
create index users_removed on users (deleted_at desc, id) where not active;
create index assignments_removed on assignments (deleted_at desc, id) where not active;
create index appointments_removed on appointments (deleted_at desc, id) where not active;
create index impediments_removed on impediments (deleted_at desc, id) where not active;
create index assignment_impediments_removed on assignment_impediments (deleted_at desc, id) where not active;
create index user_assignments_removed on user_assignments (deleted_at desc, id) where not active;
create index user_projects_removed on user_projects (deleted_at desc, id) where not active;
