-- The last transaction that changed the visible state of an order; null for a change before this migration. Event streams continue
-- from it. A reader of a snapshot has seen all transactions below its xmin, and never skips one that is still running. A sequence
-- or a clock cannot ensure this, because transactions commit in another order than they draw numbers.
alter table orders add column changed_in xid8;

create function note_change() returns trigger language plpgsql as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end $$;

-- A trigger, so that no writer can omit it.
create trigger orders_change before update on orders for each row
  when ((old.status, old.payment_state, old.outcome, old.cancellation) is distinct from
        (new.status, new.payment_state, new.outcome, new.cancellation))
  execute function note_change();

create index orders_changed on orders (restaurant_api_key, changed_in) where outcome = 'transmitted';
