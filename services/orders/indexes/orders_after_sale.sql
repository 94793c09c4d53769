-- Cancelled and refunded orders. Both columns stay null in an ordinary order, so its updates write no entry (0130).
create index concurrently orders_after_sale on orders (id desc)
  where cancellation is not null or refunds is not null
