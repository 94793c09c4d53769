-- Events of the payment processor that were completely handled. A repeated event has no effect. Rows are deleted after 30 days.
create table webhook_events (
  id text primary key,
  received_at timestamptz not null default now()
);
create index on webhook_events (received_at);
