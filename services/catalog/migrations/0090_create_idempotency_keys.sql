-- What restaurants number their requests by, written in the transaction of what the request does: no other
-- transaction ever sees a key without its answer. Refusals keep no key. Kept for seven days.
create table idempotency_keys (
  access_key_id text not null,
  path text not null,
  key text not null,
  -- HMAC-SHA-256 (hex) of the request.
  fingerprint text not null,
  -- The answer byte for byte; null until the end of the transaction.
  status integer,
  body text,
  created_at timestamptz not null default now(),
  primary key (access_key_id, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
-- As the other tables here: nothing for client applications.
alter table idempotency_keys enable row level security;
