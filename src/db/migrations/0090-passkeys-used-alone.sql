-- The domain on which a passkey last signed in alone. Not every passkey can: some authenticators do not verify the user, and after a
-- change of the domain none can.
alter table passkeys add column alone_domain text
  constraint passkeys_alone_domain_check check (char_length(alone_domain) between 1 and 253);
