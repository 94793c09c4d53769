-- A simulated restaurant may receive an order twice concurrently, like a real one. The second transmission must see the first.
alter table simulated_orders
  -- The number of transmissions.
  add column tries integer not null default 1,
  -- Its line is written to the file of receipts.
  add column noted boolean not null default true;
