-- Minutes after its order in which a customer may cancel it, as long as the restaurant has not begun it.
alter table restaurants add column customer_cancel_minutes integer not null default 5;
