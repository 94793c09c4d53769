-- Idempotency keys of clients, written in the transaction of their request: no other transaction sees a key without its response. A
-- refused request stores no key. Rows are deleted after seven days.
create table idempotency_keys (
  access_key_id text not null,
  path text not null,
  key text not null,
  -- SHA-256 (hex) of the request, which contains only the distinguishing parts of secrets.
  fingerprint text not null,
  -- The response byte for byte; null until the end of the transaction. Instead of an issued access key it contains a nonce, see
  -- src/derived-access-keys.ts.
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (access_key_id, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
