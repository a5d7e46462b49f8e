-- Clients may ask for signatures of another algorithm, which have keys of their own.
alter table identity_keys drop constraint identity_keys_purpose_check,
  add constraint identity_keys_purpose_check check (purpose in ('signing', 'signing-es256', 'protection'));
