-- Lists and their counts read live rows only. Without these, a table that had many rows removed is read as a whole, or
-- along its primary key past all that was removed. No index for each column that a list may be sorted by: the exact count
-- reads the same rows anyway.
create index organizations_live on organizations (id) where active;
create index projects_live on projects (id) where active;
create index assignment_types_live on assignment_types (id) where active;
create index workflows_live on workflows (id) where active;
create index users_live on users (id) where active;
create index assignments_live on assignments (id) where active;
create index appointments_live on appointments (id) where active;
create index impediments_live on impediments (id) where active;
create index assignment_impediments_live on assignment_impediments (id) where active;
create index user_assignments_live on user_assignments (id) where active;
create index user_projects_live on user_projects (id) where active;
create index comments_live on comments (id) where active;
