-- Cancelled and refunded orders by status and payment state. Ordinary orders have no entry (migration 0220).
create index concurrently orders_ended on orders (ended_status, ended_payment_state, id desc)
  where ended_status is not null
