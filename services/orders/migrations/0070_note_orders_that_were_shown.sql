-- A client read the order while it was pending (order-by-key, history, get-order, statuses). Should it fail then, it stays
-- visible, as cancelled. `told` says more: send-order itself answered with it, so that a retry gets the order and no problem.
alter table orders add column shown boolean not null default false;
