-- The stage that an assignment was moved to, as the notification of the move names it.
alter table notifications add column workflow_id uuid;
