-- The same order may come to a simulated restaurant twice at the same moment, as to a real one: who comes second has
-- to see what the first one does.
alter table simulated_orders
  -- How often it came.
  add column tries integer not null default 1,
  -- Its line in the file of receipts is written.
  add column noted boolean not null default true;
