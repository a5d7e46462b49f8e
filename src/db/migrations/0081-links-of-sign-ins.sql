-- By which sign-in a link was made, and the stamp that the account of its maker had: what somebody made who was not
-- that person ends with the sign-in. Neither for what versions before this one have made.
alter table account_links add column maker_session_id text, add column maker_stamp text;
create index account_links_session on account_links (maker_session_id) where used_at is null and ended_at is null;
