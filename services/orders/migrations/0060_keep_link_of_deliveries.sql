-- The kind of link that the last attempt used. The restaurant's link may have changed since, so it does not show whose orders wait
-- on a console. Null before the first attempt, and for deliveries from before this migration.
alter table deliveries add column link_kind text check (link_kind in ('webhook', 'console', 'simulator'));

-- The detail of the restaurant's reports for this order, by its link when the order was placed: the possible next statuses of an
-- open order must not change. Null for orders from before this migration, which use the restaurant's current link.
alter table orders add column reports text check (reports in ('detailed', 'coarse'));
