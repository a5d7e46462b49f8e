-- People are told when somebody has changed how they sign in.
alter table mails drop constraint mails_purpose_check;
alter table mails add constraint mails_purpose_check check (purpose in ('password', 'invitation', 'factors'));
