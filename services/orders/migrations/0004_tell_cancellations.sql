-- A delivery that failed at its deadline: the restaurant may have the order nevertheless, so it is notified of the cancellation.
alter table deliveries
  -- The time of the next notice; null: no notice is due.
  add column cancel_at timestamptz,
  -- No notice is sent after this time.
  add column cancel_until timestamptz,
  add column cancel_attempts integer not null default 0;
create index deliveries_to_cancel on deliveries (cancel_at) where cancel_at is not null;
