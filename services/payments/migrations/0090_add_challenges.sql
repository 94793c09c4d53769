-- An authorization for which the bank waits for the customer has the state challenged, and a processor_id. authentication: as it
-- was sent to the processor, because a repeated call must have the same body. The check applies to new rows and changes; to check
-- all rows would read the whole table under a lock, and they satisfied the stricter check before.
alter table authorizations
  add column authentication jsonb,
  drop constraint authorizations_state_check,
  add constraint authorizations_state_check check (
    state in ('sent', 'challenged', 'authorized', 'captured', 'declined', 'voided', 'refunded', 'released')
  ) not valid;
