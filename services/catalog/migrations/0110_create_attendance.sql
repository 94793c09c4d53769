-- False: the restaurant is open during its hours even while it is unattended.
alter table restaurants add column require_attendance boolean not null default true;

-- Copied from orders, which decides the attendance. The row `*` applies to restaurants without a row. Before the first message of
-- orders there is no row, and every restaurant counts as attended.
create table attendance (
  restaurant_api_key text primary key,
  is_attended boolean not null,
  -- The version of the row in orders; an older message changes nothing.
  version bigint not null,
  changed_at timestamptz not null
);
alter table attendance enable row level security;
