-- Few rows: orders with a failed refund.
create index concurrently orders_failed_refunds on orders (id desc) where refunds @> '[{"state": "FAILED"}]'
