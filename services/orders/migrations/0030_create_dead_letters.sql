-- Messages that no consumer could handle, moved from RabbitMQ so that an operator can read and republish them. One row per order,
-- command and step, however often the message dies.
create table dead_letters (
  id text primary key,
  command text not null,
  -- Null for a message that cannot be parsed.
  order_api_key text,
  step text,
  -- The message byte for byte, for its republication. Never shown.
  content bytea not null,
  request_id text not null,
  reason text not null,
  deaths integer not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now()
);

-- For reconciliation, which reads the orders by time.
create index orders_by_age on orders (placed_at, id);
