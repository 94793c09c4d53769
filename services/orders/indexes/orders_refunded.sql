create index concurrently orders_refunded on orders (id desc) where refunds is not null
