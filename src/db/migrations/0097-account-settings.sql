-- Choices of an account for every device; null follows the device.
create table account_settings (
  user_id uuid primary key references users on delete cascade,
  theme text check (theme in ('light', 'dark')),
  density text check (density in ('comfortable', 'compact')),
  language text check (language ~ '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$')
);
