-- Repeated work of one replica at a time. `version` is the fencing token of the lease, which expires at `due_at`.
create table scheduled_runs (
  name text primary key,
  version integer not null default 0,
  due_at timestamptz not null,
  finished_at timestamptz,
  -- For the reconciliation: later orders were not compared.
  covered_until timestamptz
);
insert into scheduled_runs (name, due_at)
values ('compare incidents', now()), ('reconcile', now() + interval '1 hour');

-- Incidents as of the last comparison. A recurring incident has another row.
create table known_incidents (
  number bigint generated always as identity primary key,
  id text not null,
  source text not null,
  kind text not null,
  incident jsonb not null,
  began_at timestamptz not null default now(),
  ended_at timestamptz,
  began_alert bigint,
  ended_alert bigint
);
create unique index known_incidents_open on known_incidents (id) where ended_at is null;
create index known_incidents_without_alert on known_incidents (number)
  where began_alert is null or (ended_at is not null and ended_alert is null);

-- `id` is the webhook-id of all attempts, and the first part of the Message-ID.
create table alerts (
  number bigint generated always as identity primary key,
  id text not null default 'alert_' || gen_random_uuid(),
  kind text not null,
  phase text not null check (phase in ('began', 'ended')),
  content jsonb not null,
  created_at timestamptz not null default now()
);
create index alerts_by_kind on alerts (kind, phase, created_at);

create table alert_deliveries (
  alert_number bigint not null references alerts on delete cascade,
  channel text not null,
  attempts integer not null default 0,
  -- The end of the lease of an attempt, or the time of the next attempt.
  due_at timestamptz not null default now(),
  delivered_at timestamptz,
  last_error text,
  primary key (alert_number, channel)
);
create index alert_deliveries_open on alert_deliveries (alert_number) where delivered_at is null;

-- The result of the last daily reconciliation. `compared_since`: the beginning of the comparison that first found the mismatch.
create table reconciliation_mismatches (
  id text primary key,
  order_api_key text not null,
  rule text not null,
  detail text not null,
  compared_since timestamptz not null,
  found_at timestamptz not null default now()
);

-- No application sees a row of these tables.
alter table scheduled_runs enable row level security;
alter table known_incidents enable row level security;
alter table alerts enable row level security;
alter table alert_deliveries enable row level security;
alter table reconciliation_mismatches enable row level security;
