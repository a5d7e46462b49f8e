-- By which sign-in somebody asked for a mail with a link, and their stamp then: the link ends with it, as one that was passed on.
alter table mails add column maker_session_id text, add column maker_stamp text;
create index mails_session on mails (maker_session_id) where ended_at is null;
