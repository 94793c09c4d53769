-- By which kind of link the last attempt went out. The restaurant's link may be another one by now, so it cannot tell whose
-- orders wait on a console. Null before the first attempt, and for deliveries from before this migration.
alter table deliveries add column link_kind text check (link_kind in ('webhook', 'console', 'simulator'));

-- How much the restaurant reports of this order, as its link said when the order was placed: the statuses that may come next
-- must not change under an open order. Null for orders from before this migration: their restaurant's current link decides.
alter table orders add column reports text check (reports in ('detailed', 'coarse'));
