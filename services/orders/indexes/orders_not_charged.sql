-- Orders that are never charged to a card, a minority in most installations. These columns never change.
create index concurrently orders_not_charged on orders (id desc)
  where payment = 'cash' or test or total = 0
