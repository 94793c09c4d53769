-- Orders without a payment: test orders, and those with a total of zero. These columns never change.
create index concurrently orders_not_required on orders (id desc) where test or total = 0
