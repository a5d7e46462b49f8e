-- The store reads the text of a check anew for each statement: on these two tables that was a tenth of what a write cost.
-- The four actions are written in one place, src/db/rows.ts.
alter table changes drop constraint changes_action_check;
alter table history drop constraint history_action_check;
