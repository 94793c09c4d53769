-- Few orders: those whose latest refund has failed, until there is another one.
create index concurrently orders_failed_refunds on orders (id desc) where refunds -> -1 ->> 'state' = 'FAILED'
