-- The dispute of an order, as clients read it; null for almost all orders.
alter table orders add column dispute jsonb;

-- A dispute is a visible change.
drop trigger orders_change on orders;
create trigger orders_change before update on orders for each row
  when ((old.status, old.payment_state, old.outcome, old.cancellation, old.refunds, old.dispute) is distinct from
        (new.status, new.payment_state, new.outcome, new.cancellation, new.refunds, new.dispute))
  execute function note_change();
