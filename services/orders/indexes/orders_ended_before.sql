-- Orders that were cancelled or refunded before migration 0220, and have not changed since.
create index concurrently orders_ended_before on orders (id desc)
  where (cancellation is not null or refunds is not null) and ended_status is null
