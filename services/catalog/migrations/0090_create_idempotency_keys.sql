-- Idempotency keys of restaurants, written in the transaction of their request: no other transaction sees a key without its
-- response. A refused request stores no key. Rows are deleted after seven days.
create table idempotency_keys (
  access_key_id text not null,
  path text not null,
  key text not null,
  -- HMAC-SHA-256 (hex) of the request.
  fingerprint text not null,
  -- The response byte for byte; null until the end of the transaction.
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (access_key_id, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
-- As in the other tables of catalog, client applications find no row.
alter table idempotency_keys enable row level security;
