-- This column stays null in an ordinary order, so its updates write no entry (0130).
create index concurrently orders_cancelled on orders (id desc) where cancellation is not null
