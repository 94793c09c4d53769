-- Whether a client or a system of each restaurant takes its orders. A restaurant without a row has the attendance of its link:
-- a console is unattended, the default webhook is attended.
create table attendance (
  restaurant_api_key text primary key,
  -- Sightings of the restaurant's clients keep a console attended until this time; null: no client was ever seen.
  seen_until timestamptz,
  -- Consecutive failures of deliveries and pings. The first result of a new webhook counts as the last of three.
  failures integer not null default 0,
  has_succeeded boolean not null default false,
  -- The time of the next ping, and the end of the lease of a running ping. Null without a webhook of its own.
  ping_at timestamptz,
  is_attended boolean not null default false,
  -- Increases with each change of is_attended. The first value is the time in milliseconds, so no version repeats after a restore.
  version bigint not null default 0,
  changed_at timestamptz not null default now()
);
create index attendance_to_ping on attendance (ping_at) where ping_at is not null;
-- As in the other tables of orders, client applications find no row.
alter table attendance enable row level security;
