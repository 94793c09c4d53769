-- An order for a console is accepted by its restaurant in the commit that places it: followers find it by this change.
create trigger orders_change_at_acceptance before insert on orders for each row
  when (new.outcome = 'transmitted')
  execute function note_change();
