-- False: the restaurant is open during its hours also while it is unattended.
alter table restaurants add column require_attendance boolean not null default true;

-- Copied from orders, which decides. The row `*` is for restaurants without a row of their own; without it, before the first
-- message of orders, every restaurant counts as attended.
create table attendance (
  restaurant_api_key text primary key,
  is_attended boolean not null,
  -- Of the row in orders: an older one changes nothing.
  version bigint not null,
  changed_at timestamptz not null
);
alter table attendance enable row level security;
