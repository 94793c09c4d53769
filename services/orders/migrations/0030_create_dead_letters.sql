-- Messages that could not be handled, taken out of RabbitMQ to be shown and said again: a row an order, command
-- and step, however often it dies.
create table dead_letters (
  id text primary key,
  command text not null,
  -- Null for what cannot be read.
  order_api_key text,
  step text,
  -- Byte for byte, as it is said again. Never shown.
  content bytea not null,
  request_id text not null,
  reason text not null,
  deaths integer not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now()
);

-- For reconciliation, which goes through the orders by time.
create index orders_by_age on orders (placed_at, id);
