-- The transaction that changed last what clients see of an order; null when that was before this migration. Those
-- who follow orders go on by it: a reader that has seen a snapshot has seen everything below its xmin, and never
-- takes a number for done whose transaction still runs. A sequence or a clock could not tell, because the numbers
-- that they give are committed in another order.
alter table orders add column changed_in xid8;

create function note_change() returns trigger language plpgsql as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end $$;

-- A trigger, so that no writer can forget it.
create trigger orders_change before update on orders for each row
  when ((old.status, old.payment_state, old.outcome, old.cancellation) is distinct from
        (new.status, new.payment_state, new.outcome, new.cancellation))
  execute function note_change();

create index orders_changed on orders (restaurant_api_key, changed_in) where outcome = 'transmitted';
