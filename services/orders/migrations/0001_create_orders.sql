-- Every accepted order. An order that failed later is hidden from clients, but its row is never deleted.
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
  -- pending: the saga runs; transmitted: the restaurant has accepted the order; failed: the saga has compensated.
  outcome text not null default 'pending' check (outcome in ('pending', 'transmitted', 'failed')),
  -- send-order has returned the order while it was pending. If it fails later, it stays visible as cancelled.
  told boolean not null default false,
  -- Recipient, items, card (never its number), address, comments and prices in cents, as of the time of the order.
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

-- A saga is one row: its completed steps, its version, and the time at which its command is republished.
create table sagas (
  order_api_key text primary key references orders,
  version integer not null default 0,
  -- The number of times that the command of this version was published.
  attempt integer not null default 1,
  facts jsonb not null,
  state jsonb not null,
  request_id text not null,
  wake_at timestamptz not null,
  deadline_at timestamptz not null,
  finished_at timestamptz
);
create index sagas_to_wake on sagas (wake_at) where finished_at is null;

-- The transmission of an order to its restaurant, one row per order.
create table deliveries (
  order_api_key text primary key references orders,
  attempts integer not null default 1,
  -- The end of the lease of the current attempt. Afterwards any replica may acquire it.
  busy_until timestamptz not null,
  -- No attempt begins after this time (docs/interface.md, the restaurant's deadline).
  deadline_at timestamptz not null,
  last_result text,
  outcome text check (outcome in ('accepted', 'refused', 'unreachable'))
);

-- The link by which orders reach a restaurant.
create table restaurant_links (
  restaurant_api_key text primary key,
  link jsonb not null
);

-- Orders of the simulated restaurants, for the link `simulator`.
create table simulated_orders (
  order_api_key text primary key,
  outcome text not null,
  next_status_at timestamptz
);
create index simulated_orders_due on simulated_orders (next_status_at) where next_status_at is not null;
