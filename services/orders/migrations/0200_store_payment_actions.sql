-- What the customer has to do at the bank before the card can be authorized; null for most orders, and as soon as it is over.
alter table orders add column payment_action jsonb;
