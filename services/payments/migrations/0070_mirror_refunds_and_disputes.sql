-- The refunds and disputes of a charge, as the processor reports them. Only charges with a refund or dispute have a row.
create table charge_mirrors (
  order_api_key text primary key references authorizations,
  -- The processor's id of the authorization.
  processor_id text not null,
  -- Incremented with each change of the row.
  version integer not null default 1,
  refunds jsonb not null,
  disputes jsonb not null,
  -- The time before the processor was read. An earlier state never replaces a later one.
  read_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index charge_mirrors_disputed on charge_mirrors (updated_at) where disputes @> '[{"state": "open"}]';
-- The end of the period whose movements of money were compared. The lease allows one replica at a time to compare.
create table mirror_position (
  only_row boolean primary key default true check (only_row),
  compared_until timestamptz not null default now(),
  lease_expires_at timestamptz not null default now()
);
insert into mirror_position default values;
alter table charge_mirrors enable row level security;
alter table mirror_position enable row level security;
