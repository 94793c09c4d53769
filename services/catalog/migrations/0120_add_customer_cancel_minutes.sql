-- Minutes after an order in which its customer may cancel it, unless the restaurant has begun to prepare it.
alter table restaurants add column customer_cancel_minutes integer not null default 5;
