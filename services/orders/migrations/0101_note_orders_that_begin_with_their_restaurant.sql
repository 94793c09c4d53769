-- The commit that places an order for a console also accepts it for its restaurant. This change makes it visible to event streams.
create trigger orders_change_at_acceptance before insert on orders for each row
  when (new.outcome = 'transmitted')
  execute function note_change();
