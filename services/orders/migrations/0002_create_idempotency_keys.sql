-- Idempotency keys of send-order, written in the transaction that accepts the order. Rows are deleted after seven days.
create table idempotency_keys (
  access_key_id text not null,
  path text not null,
  key text not null,
  fingerprint text not null,
  order_api_key text not null references orders,
  -- The end of the claim of a request that waits for the order. Afterwards a retry may claim the key.
  busy_until timestamptz not null,
  -- The first final response, byte for byte; null until then.
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (access_key_id, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
