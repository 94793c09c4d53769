-- The customer's action at the bank that is required before the authorization; null for most orders, and afterwards.
alter table orders add column payment_action jsonb;
