-- Some answers tell a secret once, such as that of a new webhook: they are kept sealed under the key of the request. What
-- was kept in clear is forgotten.
delete from idempotency_keys;
alter table idempotency_keys alter column answer type bytea using null;
