-- Every order that was accepted, also those that failed later: they are hidden from clients, never forgotten.
create table orders (
  api_key text primary key,
  id bigint generated always as identity unique,
  application_id text not null,
  recipient_api_key text,
  restaurant_api_key text not null,
  placed_at timestamptz not null default now(),
  method text not null check (method in ('pickup', 'delivery')),
  payment text not null check (payment in ('cash', 'card')),
  test boolean not null,
  -- Cents.
  total integer not null check (total >= 0),
  status text not null,
  payment_state text not null,
  -- pending: the saga runs; transmitted: the restaurant has it; failed: it came to nothing.
  outcome text not null default 'pending' check (outcome in ('pending', 'transmitted', 'failed')),
  -- A client was told of it while it was pending: should it fail then, it stays visible, as cancelled.
  told boolean not null default false,
  -- Recipient, items, card (never its number), address, comments and prices in cents, as they were when it was placed.
  details jsonb not null,
  cancellation jsonb
);
create index orders_of_recipient on orders (recipient_api_key, id desc) where recipient_api_key is not null;

-- The status history: append-only, oldest first.
create table order_statuses (
  order_api_key text not null references orders,
  position integer not null,
  status text not null,
  at timestamptz not null default now(),
  primary key (order_api_key, position)
);

-- A saga is one row: what was answered so far, its version, and when to say its next command again.
create table sagas (
  order_api_key text primary key references orders,
  version integer not null default 0,
  -- How often the command of this version was said.
  attempt integer not null default 1,
  facts jsonb not null,
  state jsonb not null,
  request_id text not null,
  wake_at timestamptz not null,
  deadline_at timestamptz not null,
  finished_at timestamptz
);
create index sagas_to_wake on sagas (wake_at) where finished_at is null;

-- One delivery an order: its transmission to the restaurant.
create table deliveries (
  order_api_key text primary key references orders,
  attempts integer not null default 1,
  -- Someone is transmitting it until then; afterwards anyone may.
  busy_until timestamptz not null,
  -- No further attempt after this (interface.md: the restaurant's deadline).
  deadline_at timestamptz not null,
  last_result text,
  outcome text check (outcome in ('accepted', 'refused', 'unreachable'))
);

-- How orders reach a restaurant.
create table restaurant_links (
  restaurant_api_key text primary key,
  link jsonb not null
);

-- What the simulated restaurants have: the other end of the link `simulator`.
create table simulated_orders (
  order_api_key text primary key,
  outcome text not null,
  next_status_at timestamptz
);
create index simulated_orders_due on simulated_orders (next_status_at) where next_status_at is not null;
