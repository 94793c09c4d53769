-- The queue of transmissions: deliveries whose lease has expired, or whose next attempt is due, are found by it.
create index deliveries_open on deliveries (busy_until) where outcome is null;
