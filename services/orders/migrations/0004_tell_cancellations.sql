-- An order that was given up at its deadline: its restaurant may have it all the same, and is told that it is off.
alter table deliveries
  -- When to tell it (again); null: there is nothing to tell, or nothing more.
  add column cancel_at timestamptz,
  -- It is told no more after this.
  add column cancel_until timestamptz,
  add column cancel_attempts integer not null default 0;
create index deliveries_to_cancel on deliveries (cancel_at) where cancel_at is not null;
