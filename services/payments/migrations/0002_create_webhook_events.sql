-- Events of the payment processor that were wholly dealt with: one that comes again does nothing. Kept for 30 days.
create table webhook_events (
  id text primary key,
  received_at timestamptz not null default now()
);
create index on webhook_events (received_at);
