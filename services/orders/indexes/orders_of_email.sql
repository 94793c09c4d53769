create index concurrently orders_of_email on orders (lower(details -> 'recipient' ->> 'email'), id desc)
  where details -> 'recipient' ->> 'email' is not null
