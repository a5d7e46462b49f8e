-- What somebody has last signed in in, as the pages spoke: mails to them are written in it.
create table account_languages (
  user_id uuid primary key references users on delete cascade,
  language text not null check (language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$')
);
