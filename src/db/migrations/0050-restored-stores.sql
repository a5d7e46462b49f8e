-- When this store was put back from a backup, if ever: a reader of the feed who was here before begins again, because what
-- was read then may be another history.
alter table history_begin add column restored_at timestamptz;
