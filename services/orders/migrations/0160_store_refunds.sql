-- The refunds of an order, as clients read them; null for most orders. Their processing is in the saga's row and in payments.
-- refunded: cents of the refunds that have not failed. The constraint holds for concurrent replicas. It is not validated for
-- existing rows, which have no refunds: validation would read the whole table under a lock.
alter table orders
  add column refunds jsonb,
  add column refunded integer not null default 0,
  add constraint orders_refunded_at_most_total check (refunded between 0 and total) not valid;

-- A refund is a visible change.
drop trigger orders_change on orders;
create trigger orders_change before update on orders for each row
  when ((old.status, old.payment_state, old.outcome, old.cancellation, old.refunds) is distinct from
        (new.status, new.payment_state, new.outcome, new.cancellation, new.refunds))
  execute function note_change();
