-- An authorization in the state challenged awaits the customer's authentication at the bank, and has a processor_id.
-- authentication: the data that was sent to the processor, because a repeated call must have the same body. The constraint is not
-- validated for existing rows, which satisfied the stricter one: validation would read the whole table under a lock.
alter table authorizations
  add column authentication jsonb,
  drop constraint authorizations_state_check,
  add constraint authorizations_state_check check (
    state in ('sent', 'challenged', 'authorized', 'captured', 'declined', 'voided', 'refunded', 'released')
  ) not valid;
