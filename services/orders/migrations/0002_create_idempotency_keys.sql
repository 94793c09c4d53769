-- What clients number their send-orders by, written in the transaction that accepts the order. Kept for seven days.
create table idempotency_keys (
  access_key_id text not null,
  path text not null,
  key text not null,
  fingerprint text not null,
  order_api_key text not null references orders,
  -- A request waits for the order until then; afterwards a retry may take its place.
  busy_until timestamptz not null,
  -- The first final answer, byte for byte; null until there is one.
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (access_key_id, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
