-- The queue of transmissions: this index finds deliveries whose lease has expired or whose next attempt is due.
create index deliveries_open on deliveries (busy_until) where outcome is null;
