-- A client has read the order while it was pending (order-by-key, history, get-order, statuses). If it fails later, it stays
-- visible as cancelled. `told` means that send-order itself has returned the order, so a retry receives the order and no problem.
alter table orders add column shown boolean not null default false;
