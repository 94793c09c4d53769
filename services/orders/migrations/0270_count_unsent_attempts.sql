-- Attempts that ended before a byte of the order was sent. A restaurant whose every attempt is one of them does not have the order, so it
-- gets no notice of its cancellation. Attempts from before this migration count as sent.
alter table deliveries add column unsent_attempts integer not null default 0;
