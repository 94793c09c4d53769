-- One row per refund, written before the call to the processor ("sent"), so a repeated command is harmless. A refund that is
-- pending at the processor stays "sent", with the processor's id.
create table refunds (
  api_key text primary key,
  order_api_key text not null references authorizations,
  -- Cents.
  amount integer not null check (amount > 0),
  state text not null check (state in ('sent', 'done', 'failed')),
  processor_id text,
  failure_code text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((state = 'failed') = (failure_code is not null))
);
create index refunds_of_order on refunds (order_api_key);
alter table refunds enable row level security;

-- Cents of the refunds that have not failed. A sum over the rows would use the statement's snapshot. If two replicas were
-- concurrent and one waited for the lock, they could refund more than was captured.
alter table authorizations
  add column refunded integer not null default 0,
  add constraint authorizations_refunded_at_most_amount check (refunded between 0 and amount) not valid;
